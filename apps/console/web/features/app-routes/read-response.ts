/** Bytes of a body that are read. The rest is not requested. */
export const maxBodyBytes = 256 * 1024;

/** What the platform returned to a request of the page. */
export interface Received {
  readonly status: number;
  readonly statusText: string;
  /** From the request to the last byte that was read. */
  readonly durationMs: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Body;
}

/** `isCut`: the body is longer than {@link maxBodyBytes}. */
export type Body =
  | { readonly kind: "none" }
  | { readonly kind: "redirect" }
  | { readonly kind: "text"; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "bytes"; readonly size: number; readonly isCut: boolean };

/** Reads a response to its end, or to {@link maxBodyBytes}. `startedAt`: the time of the request by `performance.now()`. */
export async function readResponse(response: Response, startedAt: number): Promise<Received> {
  const body: Body = response.type === "opaqueredirect" ? { kind: "redirect" } : bodyOf(await readBytes(response));
  const { status, statusText } = response;
  return { status, statusText, durationMs: performance.now() - startedAt, headers: [...response.headers], body };
}

interface Bytes {
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

async function readBytes({ body }: Response): Promise<Bytes> {
  const reader = body?.getReader();
  const bytes = new Uint8Array(maxBodyBytes);
  let size = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    const room = value.subarray(0, maxBodyBytes - size);
    bytes.set(room, size);
    size += room.length;
    if (room.length === value.length) continue;
    await reader.cancel();
    return { bytes, isCut: true };
  }
  return { bytes: bytes.subarray(0, size), isCut: false };
}

function bodyOf({ bytes, isCut }: Bytes): Body {
  if (bytes.length === 0) return { kind: "none" };
  try {
    // `stream`: a character that the limit cuts in two is no error.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    if (!text.includes("\0")) return { kind: "text", text: isCut ? text : formatted(text), isCut };
  } catch {
    // It is not text.
  }
  return { kind: "bytes", size: bytes.length, isCut };
}

/** Returns JSON with line breaks, and any other text as it is. */
function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
