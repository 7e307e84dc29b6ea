import type { WriteStream } from "node:tty";
import { harmless } from "./harmless.ts";

/** The properties of an operation that the line shows. */
interface Progress {
  readonly stage: string;
  /** 0..1 */
  readonly progress: number;
  /** Why it is not done yet. */
  readonly reason?: string | null | undefined;
}

type Output = Pick<WriteStream, "write"> & { readonly isTTY?: boolean };

const width = 24;
/** Returns to the start of the line, and removes it. */
const clear = "\r\u001b[K";

/** Shows progress on a terminal in one line that is overwritten, and elsewhere as one line for each stage. Each reason is a line. */
export function progressLine(output: Output, { isShown }: { readonly isShown: boolean }) {
  let shown = "";
  let shownReason: string | null | undefined;
  const isTerminal = output.isTTY === true;
  return {
    update: ({ stage, progress, reason }: Progress): void => {
      if (!isShown) return;
      const text = harmless(isTerminal ? bar(stage, progress) : stage);
      const isNews = reason != null && reason !== shownReason;
      if (!isTerminal && text !== shown) output.write(`${text}\n`);
      if (isNews) output.write(`${isTerminal ? clear : ""}${harmless(reason)}\n`);
      if (isTerminal && (isNews || text !== shown)) output.write(`${clear}${text}`);
      shown = text;
      shownReason = reason;
    },
    end: (): void => {
      if (isTerminal && shown !== "") output.write(clear);
    },
  };
}

function bar(stage: string, progress: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, progress)) * width);
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}] ${String(Math.round(progress * 100)).padStart(3)} % ${stage}`;
}
