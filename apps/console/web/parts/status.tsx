import type { ReactNode } from "react";
import { words } from "./words.ts";

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
