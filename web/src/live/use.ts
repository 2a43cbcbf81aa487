import { useEffect, useReducer } from "preact/hooks";
import type { Connection } from "./connection";

/** Draws again when the state of the connection changes. */
export function useConnection(connection: Connection | undefined): void {
  const [, draw] = useReducer((version: number, _: void) => version + 1, 0);
  useEffect(() => {
    // It may have changed between the first drawing and this effect.
    draw(undefined);
    return connection?.subscribe(() => draw(undefined));
  }, [connection]);
}
