import type { MessageFromFrame, MessageToFrame, ReadyMessage, StartMessage } from "./frame-messages.ts";
import { FrameRequests } from "./frame-requests.ts";
import { livePage } from "./live-page.ts";
import type { PageContext } from "./page-types.ts";

/** The side of a framed page that is in the frame. */
export interface FrameConnection<Module> {
  readonly context: PageContext;
  readonly module: Module | undefined;
  tell(message: MessageFromFrame): void;
}

/**
 * Connects a document in a frame with the shell around it, and shows the shell's theme. All that the page can do then goes through
 * one port. Resolves when the shell has sent it; never without a shell.
 */
export async function connectFrame<Module>(nonce: string): Promise<FrameConnection<Module>> {
  const { message, port } = await awaitStart<Module>();
  const tell = (sent: MessageFromFrame, transfer: Transferable[] = []): void => port.postMessage(sent, transfer);
  const requests = new FrameRequests(tell);
  const page = livePage(
    message.start,
    {
      navigate: (path, replace) => tell({ type: "navigate", path, replace }),
      notify: (text, kind) => tell({ type: "notify", message: text, kind }),
      send: (path, request) => requests.send(path, request),
    },
    nonce,
  );
  const showTheme = (): void => {
    document.documentElement.style.colorScheme = page.context.theme;
    document.documentElement.dataset["theme"] = page.context.theme;
  };
  showTheme();
  port.onmessage = ({ data }: MessageEvent<MessageToFrame>) => {
    if (data.type === "theme") {
      page.setTheme(data.theme);
      showTheme();
    } else if (data.type !== "path") requests.settle(data);
    else if (!page.setPath(data.path)) tell({ type: "unfollowed" });
  };
  return { context: page.context, module: message.module, tell };
}

interface Start<Module> {
  readonly message: StartMessage<Module>;
  readonly port: MessagePort;
}

function awaitStart<Module>(): Promise<Start<Module>> {
  return new Promise((resolve) => {
    window.addEventListener("message", onMessage);
    const ready: ReadyMessage = { type: "appserver:ready" };
    // The shell's origin is unknown here, and the message holds nothing.
    window.parent.postMessage(ready, "*");

    function onMessage(event: MessageEvent): void {
      const message = (event.data ?? {}) as Partial<StartMessage<Module>>;
      const [port] = event.ports;
      if (event.source !== window.parent || message.type !== "appserver:start" || !message.start || !port) return;
      window.removeEventListener("message", onMessage);
      resolve({ message: message as StartMessage<Module>, port });
    }
  });
}
