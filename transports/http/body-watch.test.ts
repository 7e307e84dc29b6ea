import assert from "node:assert/strict";
import { Agent, type ClientRequest, request as httpRequest } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { after, before, describe, test } from "node:test";
import { anonymousCaller, SystemClock } from "@appserver/kernel";
import { started, wholeBody } from "../test/http-listener-fixture.ts";
import type { HttpListener, RequestHandler } from "./index.ts";

const clock = new SystemClock();
const readTimeoutMs = 300;

/** Streams bodies below `/stream`, buffers others, and responds before the body below `/early`. */
const reader: RequestHandler = {
  handle: async (request, response, { remoteAddress }) => {
    if (request.target.includes("/early")) {
      request.body?.read({ onData: () => false, onEnd: () => {}, onError: () => {} });
      response.writeHead(200, []);
      response.end("early");
      return;
    }
    if (request.target.includes("/stream")) request.body?.pace?.allowSlow(anonymousCaller, remoteAddress);
    const { length } = await wholeBody(request);
    response.writeHead(200, []);
    response.end(`${length} bytes`);
  },
};

/** A body that the test sends part by part. */
interface Upload {
  write(text: string): void;
  /** Returns how many bytes the body has in the end. */
  end(): number;
  /** Resolves with status and body. */
  readonly response: Promise<readonly [number, string]>;
  readonly closed: Promise<unknown>;
}

type Begin = (path: string) => Upload;

const declaredBytes = 1_000;

/** With a length the request is plain, without one it is not. */
function http1(port: number, hasLength: boolean): Begin {
  return (path) => {
    // Without it, the client itself would close the connection after the response.
    const agent = new Agent({ keepAlive: true });
    const headers = hasLength ? { "content-length": declaredBytes } : {};
    const sent: ClientRequest = httpRequest({ port, host: "127.0.0.1", path, method: "POST", agent, headers });
    let bytes = 0;
    const write = (text: string): void => {
      bytes += text.length;
      sent.write(text);
    };
    const end = (): number => {
      if (hasLength) write("x".repeat(declaredBytes - bytes));
      sent.end();
      return bytes;
    };
    const closed = new Promise((resolve) => sent.once("socket", (socket) => socket.once("close", resolve)));
    const response = new Promise<readonly [number, string]>((resolve, reject) => {
      sent.on("error", reject).on("response", (received) => {
        let text = "";
        received.on("error", () => {}).on("data", (chunk: Buffer) => (text += chunk.toString()));
        received.once("end", () => resolve([received.statusCode ?? 0, text]));
      });
    });
    response.catch(() => {});
    return { write, end, response, closed };
  };
}

function http2(session: () => ClientHttp2Session): Begin {
  return (path) => {
    const stream = session().request({ ":method": "POST", ":path": path });
    stream.on("error", () => {});
    const response = new Promise<readonly [number, string]>((resolve) => {
      let [status, text] = [0, ""];
      stream.on("response", (headers) => (status = Number(headers[":status"]))).on("data", (chunk: Buffer) => (text += chunk));
      stream.once("end", () => resolve([status, text]));
    });
    const closed = new Promise((resolve) => stream.once("close", resolve));
    let bytes = 0;
    const write = (text: string): void => {
      bytes += text.length;
      stream.write(text);
    };
    const end = (): number => {
      stream.end();
      return bytes;
    };
    return { write, end, response, closed };
  };
}

describe("bodies that come slowly", { timeout: 60_000 }, () => {
  let listener: HttpListener;
  let session: ClientHttp2Session;
  before(async () => {
    listener = await started({ limits: { readTimeoutMs }, proxy: reader });
    session = connect(`http://127.0.0.1:${listener.address().port}`);
  });
  after(async () => {
    session.destroy();
    await listener.stop();
  });

  const protocols: readonly (readonly [string, () => Begin])[] = [
    ["HTTP/1.1", () => http1(listener.address().port, false)],
    ["HTTP/1.1 with a length", () => http1(listener.address().port, true)],
    ["HTTP/2", () => http2(() => session)],
  ];
  for (const [protocol, begin] of protocols) {
    test(`${protocol}: a streamed body may take any time while it makes progress`, async () => {
      const upload = begin()("/api/apps/a/stream");
      const until = performance.now() + 5 * readTimeoutMs;
      while (performance.now() < until) {
        upload.write("x");
        await clock.sleep(20);
      }
      const sent = upload.end();
      assert.deepEqual(await upload.response, [200, `${sent} bytes`]);
    });

    test(`${protocol}: a body that pauses for the read timeout is 408, and its connection or stream ends`, async () => {
      const upload = begin()("/api/apps/a/stream");
      upload.write("half");
      const [status, text] = await upload.response;
      assert.equal(status, 408);
      assert.match(text, /"The request body stopped coming: nothing arrived for 0.3 s\."/);
      await upload.closed;
    });

    test(`${protocol}: a body that is buffered must not be slow for longer than the read timeout`, async () => {
      const upload = begin()("/api/apps/a/b");
      const drip = setInterval(() => upload.write("x"), 20);
      const [status, text] = await upload.response;
      clearInterval(drip);
      assert.equal(status, 408);
      assert.match(text, /must come with at least 1 MB a minute/);
    });

    test(`${protocol}: a client that continues to send after its response is disconnected`, async () => {
      const upload = begin()("/api/apps/a/early");
      const drip = setInterval(() => upload.write("x"), 20);
      await upload.closed;
      clearInterval(drip);
    });

    test(`${protocol}: the 65th slow body of a caller is refused, and the others continue`, async () => {
      const start = begin();
      const uploads = Array.from({ length: 65 }, () => start("/api/apps/a/stream"));
      const drip = setInterval(() => {
        for (const upload of uploads) upload.write("x");
      }, 50);
      const [status, text] = await Promise.race(uploads.map(({ response }) => response));
      assert.equal(status, 429);
      assert.match(text, /at most 64 of one caller/);
      await clock.sleep(2 * readTimeoutMs);
      clearInterval(drip);
      for (const upload of uploads) upload.end();
      const statuses = (await Promise.all(uploads.map(({ response }) => response))).map(([one]) => one);
      assert.deepEqual(statuses.toSorted(), [...Array.from({ length: 64 }, () => 200), 429]);
    });
  }
});
