import type { WriteStream } from "node:tty";

/** The properties of an operation that the line shows. */
interface Progress {
  readonly stage: string;
  /** 0..1 */
  readonly progress: number;
}

type Output = Pick<WriteStream, "write"> & { readonly isTTY?: boolean };

const width = 24;

/** Shows progress on a terminal in one line that is overwritten, and elsewhere as one line for each stage. */
export function progressLine(output: Output, { isShown }: { readonly isShown: boolean }) {
  let shown = "";
  const isTerminal = output.isTTY === true;
  return {
    update: ({ stage, progress }: Progress): void => {
      if (!isShown) return;
      const text = isTerminal ? bar(stage, progress) : stage;
      if (text === shown) return;
      shown = text;
      output.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end: (): void => {
      if (isTerminal && shown !== "") output.write("\r\u001b[K");
    },
  };
}

function bar(stage: string, progress: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, progress)) * width);
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}] ${String(Math.round(progress * 100)).padStart(3)} % ${stage}`;
}
