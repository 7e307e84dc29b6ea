import { RegistryError } from "./registry-error.ts";

/** Both ends are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the part of `size` bytes that a `Range` header names. Undefined for all of them: without a header, and for headers that RFC 9110
 * allows to ignore, such as several ranges. Throws RANGE_INVALID if none of the bytes is named.
 */
export function requestedRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  if (start > end) throw new RegistryError("RANGE_INVALID", `the range is outside of the ${size} bytes of the blob`);
  return { start, end };
}

/**
 * Returns where a chunk begins by its `Content-Range`: `0-1023`. Undefined without the header. Throws RANGE_INVALID for another form, and
 * BLOB_UPLOAD_INVALID if the body has another length.
 */
export function chunkStart(header: string | undefined, contentLength: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [, first, last] = /^(\d{1,15})-(\d{1,15})$/.exec(header) ?? [];
  if (first === undefined)
    throw new RegistryError("RANGE_INVALID", "expected a Content-Range of the form first-last, in bytes");
  const length = Number(last) - Number(first) + 1;
  if (length < 1 || (contentLength !== undefined && Number(contentLength) !== length))
    throw new RegistryError("BLOB_UPLOAD_INVALID", "Content-Range and Content-Length name different numbers of bytes");
  return Number(first);
}
