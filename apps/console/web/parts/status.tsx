import type { ReactNode } from "react";

/** What a status asks for. `bad` is only for what has failed and stays so; `warning` for what may need a person. */
export type Tone = "good" | "active" | "warning" | "bad" | "neutral";

interface StatusProps {
  /** Default: neutral. */
  readonly tone?: Tone;
  /** A constant of the API is shown as words: `TIMED_OUT` as "Timed out". */
  readonly children: ReactNode;
}

/** A status in one or two words. */
export function Status({ tone = "neutral", children }: StatusProps) {
  return (
    <span className="status" data-tone={tone}>
      {typeof children === "string" ? words(children) : children}
    </span>
  );
}

/** Returns a constant of the API, or the beginning of a sentence, as words. */
export function words(text: string): string {
  const spaced = /^[A-Z][A-Z_]+$/.test(text) ? text.replaceAll("_", " ").toLowerCase() : text;
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Returns the choices of a list of constants, shown as words. */
export function choicesOf(values: readonly string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: words(value) }));
}
