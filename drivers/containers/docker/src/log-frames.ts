const headerBytes = 8;

/**
 * Returns the text of an engine's log response. Without a terminal each piece has a header of eight bytes: stream, three zeros,
 * length (Engine API, "Attach to a container: stream format"). Of a truncated last frame, the available part is returned.
 */
export function readLogFrames(bytes: Buffer): string {
  const pieces: Buffer[] = [];
  let at = 0;
  while (at + headerBytes <= bytes.length) {
    const start = at + headerBytes;
    at = start + bytes.readUInt32BE(at + 4);
    pieces.push(bytes.subarray(start, at));
  }
  return Buffer.concat(pieces).toString("utf8");
}
