package adaptor

import (
	"context"
	"sync/atomic"
)

// initializations makes the calls that find a restarted component send Init together only once.
type initializations struct {
	// turn holds a token while Init is being sent. A channel, so that waiting ends with the context.
	turn chan struct{}
	done *atomic.Uint64
}

func newInitializations() initializations {
	return initializations{turn: make(chan struct{}, 1), done: new(atomic.Uint64)}
}

// count returns how often Init has been repeated.
func (i initializations) count() uint64 {
	return i.done.Load()
}

// repeat sends Init, unless another call has done so since count returned seen.
func (i initializations) repeat(ctx context.Context, seen uint64, send func(context.Context) error) error {
	select {
	case i.turn <- struct{}{}:
		defer func() { <-i.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if i.count() != seen {
		return nil
	}
	if err := send(ctx); err != nil {
		return err
	}
	i.done.Add(1)
	return nil
}
