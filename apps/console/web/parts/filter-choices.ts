/** A value that a filter offers. */
export interface Choice {
  readonly value: string;
  /** What the value is called. Two may be called the same. */
  readonly label: string;
  /** Whether the platform has found it for what was typed, for example by a sign-in address that is not shown. */
  readonly isFound?: boolean;
}

/** Returns the choices whose name or value has the text. */
export function optionsFor(text: string, choices: readonly Choice[]): { value: string; label: string }[] {
  const sought = text.trim().toLowerCase();
  return choices
    .filter(({ value, label, isFound }) => isFound || [label, value].some((each) => each.toLowerCase().includes(sought)))
    .map(({ value, label }) => ({ value, label }));
}

/** Returns the value that a typed text means: that of the one choice with this name, or else the text itself. */
export function meant(text: string, choices: readonly Choice[]): string {
  const named = choices.filter(({ label }) => label.toLowerCase() === text.toLowerCase());
  const [only] = named;
  if (choices.some(({ value }) => value === text)) return text;
  return named.length === 1 && only !== undefined ? only.value : text;
}

/** Returns what the field shows for a value. */
export function shownOf(value: string, choices: readonly Choice[]): string {
  return choices.find((choice) => choice.value === value)?.label ?? value;
}

/** Returns choices without those whose values are among the ones before. */
export function withoutDoubles(choices: readonly Choice[]): readonly Choice[] {
  const first = new Map<string, Choice>();
  for (const choice of choices) if (!first.has(choice.value)) first.set(choice.value, choice);
  return [...first.values()];
}

/** Returns choices of values that are called what they are. */
export function plainChoices(values: readonly string[]): readonly Choice[] {
  return [...new Set(values)].sort().map((value) => ({ value, label: value }));
}
