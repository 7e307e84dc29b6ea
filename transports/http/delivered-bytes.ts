import type { Socket } from "node:net";

/**
 * Returns the bytes that the kernel has accepted. For a large piece that was accepted in part, only the handle has the number;
 * Node reads it there, too.
 */
export function deliveredBytes(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.bytesWritten - (handle?.writeQueueSize ?? socket.writableLength);
}
