import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

export interface TextFile {
  readonly name: string;
  readonly contents: string;
}

const words =
  "export const function return await import from element state render props value index array object promise".split(" ");

/** Returns a script of about this size that compresses to about a quarter. It is the same one each time. */
export function script(name: string, bytes: number): TextFile {
  let seed = 1;
  const lines: string[] = [];
  for (let length = 0; length < bytes; ) {
    const line: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      seed = (seed * 48_271) % 2_147_483_647;
      line.push(seed % 8 === 0 ? seed.toString(36) : (words[seed % words.length] ?? ""));
    }
    lines.push(`// ${line.join(" ")}`);
    length += (lines.at(-1)?.length ?? 0) + 1;
  }
  return { name, contents: lines.join("\n").slice(0, bytes) };
}

/** Writes the files and their compressed forms into a folder, as a build would. */
export async function writeCompressed(folder: string, files: readonly TextFile[]): Promise<void> {
  for (const { name, contents } of files) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    await writeFile(join(folder, name), contents);
    await writeFile(join(folder, `${name}.gz`), gzipSync(contents, { level: 9 }));
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(contents, { params }));
  }
}
