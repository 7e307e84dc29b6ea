#!/usr/bin/env node
import { CommanderError } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { createAppctl } from "./program.ts";
import { takeSecrets } from "./secret-variables.ts";

const { program, options } = createAppctl(takeSecrets(process.env));

// `appctl list | head` closes the pipe before everything is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(exitCodes.ok);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = await exitCodeOf(error);
}

async function exitCodeOf(error: unknown): Promise<number> {
  // Help or the usage error was already printed.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const { printFailure } = await import("./failure.ts");
  return printFailure(error, options());
}
