import type { PageTheme } from "@appserver/sdk/page";
import type {
  FrameRequest,
  FrameResponse,
  MessageFromFrame,
  MessageToFrame,
  PageActions,
  PageStart,
  StartMessage,
} from "@appserver/sdk/page-frame";
import type { PageModule } from "./page-module.ts";

/** A page that sends more at once gets an error, so that it cannot fill the memory of the document around it. */
const maxRequests = 100;
const maxText = 10_000;

export interface FrameEvents {
  mounted(): void;
  failed(message: string): void;
  /** Nothing in the page has followed the last change of its path. */
  unfollowed(): void;
}

/** The side of a framed page that has the platform's origin. It does what the page asks for, as far as any page may. */
export class FrameHost {
  readonly #port: MessagePort;
  readonly #actions: PageActions;
  readonly #events: FrameEvents;
  readonly #requests = new Map<number, AbortController>();

  /** `module` is for the platform's own frame document. Another document gets none. */
  constructor(frame: Window, module: PageModule | undefined, start: PageStart, actions: PageActions, events: FrameEvents) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#actions = actions;
    this.#events = events;
    port1.onmessage = ({ data }: MessageEvent<unknown>) => this.#receive((data ?? {}) as MessageFromFrame);
    const message: StartMessage = { type: "appserver:start", start, ...(module ? { module } : {}) };
    // A document without an origin can only be addressed so.
    frame.postMessage(message, "*", [port2]);
  }

  setPath(path: string): void {
    this.#tell({ type: "path", path });
  }

  setTheme(theme: PageTheme): void {
    this.#tell({ type: "theme", theme });
  }

  close(): void {
    for (const request of this.#requests.values()) request.abort();
    this.#port.close();
  }

  #tell(message: MessageToFrame, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  /** Code of the app may have sent it: everything in it is checked. */
  #receive(message: MessageFromFrame): void {
    try {
      this.#act(message);
    } catch (error) {
      this.#actions.notify(error instanceof Error ? error.message : String(error), "error");
    }
  }

  #act(message: MessageFromFrame): void {
    if (message.type === "mounted") this.#events.mounted();
    else if (message.type === "unfollowed") this.#events.unfollowed();
    else if (message.type === "failed") this.#events.failed(textOf(message.message));
    else if (message.type === "navigate") this.#actions.navigate(textOf(message.path), message.replace === true);
    else if (message.type === "notify") this.#actions.notify(textOf(message.message), message.kind);
    else if (message.type === "abort") this.#requests.get(message.id)?.abort();
    else if (message.type === "request" && typeof message.id === "number")
      void this.#request(message.id, message.path, message.request);
  }

  async #request(id: number, path: string, { method, headers, body, reportsUpload }: FrameRequest): Promise<void> {
    const abort = new AbortController();
    try {
      if (this.#requests.size >= maxRequests) throw new TypeError(`a page may have ${maxRequests} requests at once`);
      this.#requests.set(id, abort);
      const onUpload = (sent: number, total: number): void => this.#tell({ type: "uploaded", id, sent, total });
      const request = {
        method,
        headers,
        ...(body === null ? {} : { body }),
        ...(reportsUpload === true && { onUpload }),
        signal: abort.signal,
      };
      const response = await plain(await this.#actions.send(textOf(path), request));
      this.#tell({ type: "response", id, response }, [response.body]);
    } catch (error) {
      this.#tell({ type: "failure", id, message: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#requests.delete(id);
    }
  }
}

async function plain(response: Response): Promise<FrameResponse> {
  const { status, statusText, headers } = response;
  return { status, statusText, headers: [...headers], body: await response.arrayBuffer() };
}

function textOf(value: unknown): string {
  return String(value).slice(0, maxText);
}
