import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Where clients connect, and the base path of an app. */
export interface Target {
  readonly port: number;
  readonly base: string;
}

/** What one client does until its connection is over. */
export type HostileClient = (target: Target) => Promise<void>;

const dripMs = 500;

function open({ port }: Target): Socket {
  return connect(port, "127.0.0.1").on("error", () => {});
}

/** Reads and drops everything until the connection is over. */
async function untilClosed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await once(socket, "close");
}

/** Sends a text character by character until the connection is over, or all is sent. */
async function drip(socket: Socket, text: string): Promise<void> {
  for (const character of text) {
    if (socket.destroyed || socket.readableEnded) return;
    socket.write(character);
    await new Promise((resolve) => setTimeout(resolve, dripMs));
  }
}

const get = ({ base }: Target, path: string): string => `GET ${base}${path} HTTP/1.1\r\nHost: h\r\n\r\n`;
const post = ({ base }: Target, bytes: number): string =>
  `POST ${base}/upload HTTP/1.1\r\nHost: h\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Sends a part of a request, waits for a moment, and resets the connection. */
function resetting(textOf: (target: Target) => string): HostileClient {
  return async (target) => {
    const socket = open(target);
    await once(socket, "connect");
    socket.write(textOf(target));
    await new Promise((resolve) => setTimeout(resolve, dripMs));
    socket.resetAndDestroy();
  };
}

/** Clients that a server meets, by what they do. All end by themselves, or because the server ends them. */
export const hostileClients: Readonly<Record<string, HostileClient>> = {
  "say nothing": async (target) => untilClosed(open(target)),
  "stop within a head": async (target) => {
    const socket = open(target);
    socket.write(get(target, "/fast").slice(0, -2));
    await untilClosed(socket);
  },
  "send a head character by character": async (target) => {
    const socket = open(target).resume();
    await drip(socket, get(target, "/fast"));
    await untilClosed(socket);
  },
  "stop within a body": async (target) => {
    const socket = open(target);
    socket.write(`${post(target, 1_000)}half`);
    await untilClosed(socket);
  },
  "send a body character by character": async (target) => {
    const socket = open(target).resume();
    socket.write(post(target, 5));
    await drip(socket, "hello");
    socket.end();
    await untilClosed(socket);
  },
  "send more behind each request": async (target) => {
    const socket = open(target);
    socket.write(get(target, "/fast").repeat(20) + get(target, "/fast").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    await untilClosed(socket);
  },
  "close their side and wait": async (target) => {
    const socket = open(target);
    socket.write(get(target, "/slow"));
    socket.end();
    await untilClosed(socket);
  },
  "do not read a large response": async (target) => {
    const socket = open(target).pause();
    socket.write(get(target, "/large"));
    // Longer than the server waits for them.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    socket.destroy();
  },
  "reset a new connection": resetting(() => ""),
  "reset within a head": resetting((target) => get(target, "/fast").slice(0, 20)),
  "reset within a body": resetting((target) => `${post(target, 1_000)}half`),
  "reset while they wait": resetting((target) => get(target, "/slow")),
  "reset within a response": resetting((target) => get(target, "/large")),
};
