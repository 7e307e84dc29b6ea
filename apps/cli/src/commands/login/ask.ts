import { createInterface } from "node:readline/promises";
import { harmless } from "../../harmless.ts";

/** Asks a question on the terminal. Returns whether the answer is yes. */
export async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(harmless(question))).trim());
  } finally {
    terminal.close();
  }
}
