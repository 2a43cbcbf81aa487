/** Names that are in use, with the number of their uses. */
export class Names {
  private counts = new Map<string, number>();

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  remove(name: string): void {
    const left = (this.counts.get(name) ?? 0) - 1;
    if (left > 0) this.counts.set(name, left);
    else this.counts.delete(name);
  }

  count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** Returns the latest names, in alphabetical order. */
  list(limit: number): string[] {
    return [...this.counts.keys()].slice(-limit).filter(Boolean).sort();
  }
}
