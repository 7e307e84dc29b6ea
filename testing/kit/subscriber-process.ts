// Holds many WebSockets, each with one subscription, in a process of its own, so that the servers' memory and the test's event loop
// do not include them. Started by subscriber-crowd.ts. Ends with its parent.
import { once } from "node:events";
import { type RawData, WebSocket } from "ws";
import type { CrowdCommand, CrowdReport } from "./subscriber-crowd.ts";

const query = "subscription { appStateChanged { name state enabled } }";
/** Sockets that are opened at the same time. */
const opening = 50;

/** What every event contains, and no other message. */
const event = '"type":"next"';

const sockets = new Set<WebSocket>();
let received = 0;

async function open({ urls, tokens, count }: Extract<CrowdCommand, { readonly kind: "open" }>): Promise<void> {
  let next = 0;
  const openSome = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      const token = tokens[Math.floor(number / urls.length) % tokens.length];
      await subscribe(urls[number % urls.length] ?? "", token ?? "");
    }
  };
  await Promise.all(Array.from({ length: Math.min(opening, count) }, openSome));
  report({ kind: "opened" });
}

/** Resolves when the server has started the subscription. Rejects if it closes the connection before that. */
async function subscribe(url: string, token: string): Promise<void> {
  const socket = new WebSocket(url, "graphql-transport-ws", { perMessageDeflate: false });
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const seen = (type: string) =>
    new Promise<void>((resolve, reject) => {
      const onClose = (code: number): void => reject(new Error(`closed with ${code} before "${type}"`));
      socket.once("close", onClose);
      socket.on("message", function look(data) {
        if ((JSON.parse(String(data)) as { readonly type: string }).type !== type) return;
        socket.off("message", look);
        socket.off("close", onClose);
        resolve();
      });
    });
  await once(socket, "open");
  const acknowledged = seen("connection_ack");
  send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
  await acknowledged;
  const begun = seen("complete");
  send({ id: "s", type: "subscribe", payload: { query } });
  // Operations of one connection start in order: the end of a later one shows that the earlier has started.
  send({ id: "q", type: "subscribe", payload: { query: "{ __typename }" } });
  await begun;
  sockets.add(socket);
  socket.on("message", onMessage);
  socket.once("close", (code) => sockets.delete(socket) && report({ kind: "lost", code }));
}

/** Reads no more of an event than it must: the crowd shares the machine with the servers. */
function onMessage(data: RawData): void {
  if (!(data as Buffer).includes(event)) {
    report({ kind: "ended", text: String(data) });
    return;
  }
  received += 1;
  if (received % sockets.size === 0) report({ kind: "received", messages: received, at: Date.now(), text: String(data) });
}

async function close(): Promise<void> {
  const closed = [...sockets].map(async (socket) => {
    sockets.delete(socket);
    socket.close();
    await once(socket, "close");
  });
  await Promise.all(closed);
  received = 0;
  report({ kind: "closed" });
}

function report(what: CrowdReport): void {
  process.send?.(what);
}

process.on("message", (command: CrowdCommand) => void (command.kind === "open" ? open(command) : close()));
process.on("disconnect", () => process.exit());
