import { X509Certificate } from "node:crypto";
import type { OptionType, Reading } from "./option-type.ts";

export interface FileContent {
  readonly path: string;
  readonly text: string;
}

/** Certificates in PEM, given by the path of their file. Read with the configuration, so that `config check` finds errors. */
export const certificateFile: OptionType<FileContent> = pemFile("certificates", (text) => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  for (const block of blocks) new X509Certificate(block);
  return blocks.length > 0;
});

/** A private key in PEM, given by the path of its file. */
export const privateKeyFile: OptionType<FileContent> = pemFile("a private key", (text) =>
  /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/.test(text),
);

function pemFile(what: string, holds: (text: string) => boolean): OptionType<FileContent> {
  const expected = `the path of a readable file with ${what} in PEM`;
  return {
    expected,
    read: (path, readFile): Reading<FileContent> => {
      try {
        const text = readFile(path).toString("utf8");
        return holds(text) ? { value: { path, text } } : { expected: `${expected}; the file contains none` };
      } catch (error) {
        return { expected: `${expected} (${error instanceof Error ? error.message : String(error)})` };
      }
    },
  };
}
