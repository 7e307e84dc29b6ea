import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import type { Coding, Compressor } from "../ports.ts";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
// Available from Node 22.15.
const zstdAsync = zstdCompress === undefined ? undefined : promisify(zstdCompress);

/** Up to this size, the first response takes at most a few tens of milliseconds even with the slowest settings. */
const smallBytes = 64 * 1024;
const mediumBytes = 1024 * 1024;

/** Compresses on zlib's threads. Smaller files get a higher level: each file is compressed once and sent many times. */
export class ZlibCompressor implements Compressor {
  /** Sorted by preference, best first. */
  readonly codings: readonly Coding[] = zstdAsync ? ["br", "zstd", "gzip"] : ["br", "gzip"];

  async compress(coding: Coding, contents: Uint8Array): Promise<Uint8Array> {
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
}

function bySize(length: number, small: number, medium: number, large: number): number {
  if (length <= smallBytes) return small;
  return length <= mediumBytes ? medium : large;
}
