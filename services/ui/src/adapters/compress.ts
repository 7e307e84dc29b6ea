import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import type { Coding } from "../ports.ts";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
// Available from Node 22.15.
const zstdAsync = zstdCompress === undefined ? undefined : promisify(zstdCompress);

/** Up to this size, the first response takes at most a few tens of milliseconds even with the slowest settings. */
const smallBytes = 64 * 1024;
const mediumBytes = 1024 * 1024;

/** The codings that this Node has, sorted by preference, best first. */
export const codings: readonly Coding[] = zstdAsync ? ["br", "zstd", "gzip"] : ["br", "gzip"];

/**
 * Compresses a whole file on zlib's threads. Smaller files get a higher level: each file is compressed once and sent many times.
 * Rejects only if memory allocation fails.
 */
export async function compress(coding: Coding, contents: Uint8Array): Promise<Uint8Array> {
  if (coding === "gzip") return gzipAsync(contents, { level: bySize(contents.length, 9, 9, 6) });
  if (coding === "br") {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: bySize(contents.length, 11, 9, 5),
      [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
    };
    return brotliAsync(contents, { params });
  }
  if (!zstdAsync) throw new Error("this Node has no zstd");
  const params = { [constants.ZSTD_c_compressionLevel]: bySize(contents.length, 19, 12, 6) };
  return zstdAsync(contents, { params });
}

function bySize(length: number, small: number, medium: number, large: number): number {
  if (length <= smallBytes) return small;
  return length <= mediumBytes ? medium : large;
}
