import { useEffect, useState } from "preact/hooks";
import { componentNames } from "./sending";

/** Asks for the components once. */
export function useComponents(): string[] {
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => void componentNames().then(setNames, () => setNames([])), []);
  return names;
}
