import type { FrameResponse, MessageFromFrame, MessageToFrame } from "./frame-messages.ts";
import type { PageRequest } from "./page-types.ts";

interface Waiting {
  readonly onUpload: PageRequest["onUpload"];
  readonly resolve: (response: Response) => void;
  readonly reject: (reason: unknown) => void;
}

/** Requests that the document around the frame sends. */
export class FrameRequests {
  readonly #tell: (message: MessageFromFrame, transfer?: Transferable[]) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(tell: (message: MessageFromFrame, transfer?: Transferable[]) => void) {
    this.#tell = tell;
  }

  send(path: string, { method = "GET", headers = {}, body, onUpload, signal }: PageRequest): Promise<Response> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.#last += 1;
      const id = this.#last;
      this.#waiting.set(id, { onUpload, resolve, reject });
      const request = { method, headers, body: body ?? null, reportsUpload: onUpload !== undefined };
      this.#tell({ type: "request", id, path, request });
      signal?.addEventListener("abort", () => {
        if (!this.#waiting.delete(id)) return;
        this.#tell({ type: "abort", id });
        reject(signal.reason);
      });
    });
  }

  settle(message: Extract<MessageToFrame, { readonly id: number }>): void {
    const waiting = this.#waiting.get(message.id);
    if (message.type === "uploaded") {
      waiting?.onUpload?.(message.sent, message.total);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.type === "response") waiting?.resolve(toResponse(message.response));
    else waiting?.reject(new TypeError(message.message));
  }
}

/** A response of these statuses must not have a body. */
const withoutBody = new Set([204, 205, 304]);

function toResponse({ status, statusText, headers, body }: FrameResponse): Response {
  const init = { status, statusText, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  return new Response(withoutBody.has(status) ? null : body, init);
}
