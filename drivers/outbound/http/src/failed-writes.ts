import type { Duplex } from "node:stream";

type Callback = (error?: Error | null) => void;

/**
 * Keeps a socket readable after a failed write. A backend may refuse an upload and close the connection before it has read all of
 * it: its response is then in the socket, and Node would drop it with the error of the write. `onFailed` gets that error. Later
 * writes have no effect. The socket must be destroyed as usual.
 */
export function readPastFailedWrites(socket: Duplex, onFailed: (error: Error) => void): void {
  const { _write: write, _writev: writev } = socket;
  const guarded =
    (callback: Callback): Callback =>
    (error) => {
      // Without a call of `callback`, the stream waits for this write, and does nothing else.
      if (error && !socket.destroyed) onFailed(error);
      else callback(error);
    };
  socket._write = (chunk, encoding, callback) => write.call(socket, chunk, encoding, guarded(callback));
  if (writev) socket._writev = (chunks, callback) => writev.call(socket, chunks, guarded(callback));
}
