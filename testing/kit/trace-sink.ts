import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/** A span as it was received. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** `service.name` of the resource. */
  readonly service: unknown;
}

type Fields = ReadonlyMap<number, readonly (Uint8Array | number | bigint)[]>;

/** A collector that takes OTLP over HTTP and keeps what it decoded. */
export class TraceSink {
  readonly spans: ReceivedSpan[] = [];
  /** Requests as received, with the parts that are not decoded. */
  readonly bodies: Buffer[] = [];
  readonly requests: { readonly path: string; readonly type: string; readonly authorization: string | undefined }[] = [];
  /** The status that it returns. */
  status = 200;
  #server: Server | undefined;
  #port = 0;

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens again on the same port after a stop. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.once("end", () => {
        const { authorization, "content-type": type = "" } = request.headers;
        this.requests.push({ path: request.url ?? "", type, authorization });
        const body = Buffer.concat(chunks);
        this.bodies.push(body);
        if (this.status === 200) this.spans.push(...decode(body));
        response.writeHead(this.status, { "content-type": "application/x-protobuf" }).end();
      });
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise((resolve) => server.close(resolve));
  }
}

/** `ExportTraceServiceRequest` (opentelemetry-proto, trace_service.proto and trace.proto). */
function decode(bytes: Uint8Array): ReceivedSpan[] {
  return messages(fieldsOf(bytes), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const service = resource ? attributesOf(resource, 1)["service.name"] : undefined;
    return messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2).map((span) => spanOf(span, service)));
  });
}

function spanOf(span: Fields, service: unknown): ReceivedSpan {
  const [status] = messages(span, 15);
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    parentSpanId: hexOf(span, 4),
    name: Buffer.from(bytesOf(span, 5)).toString(),
    kind: Number(span.get(6)?.[0] ?? 0),
    statusCode: Number(status?.get(3)?.[0] ?? 0),
    statusMessage: status ? Buffer.from(bytesOf(status, 2)).toString() : "",
    attributes: attributesOf(span, 9),
    service,
  };
}

function attributesOf(fields: Fields, field: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(fields, field).map((attribute) => {
      const [value] = messages(attribute, 2);
      const text = value?.get(1)?.[0];
      const plain =
        text instanceof Uint8Array ? Buffer.from(text).toString() : Number(value?.get(3)?.[0] ?? value?.get(2)?.[0]);
      return [Buffer.from(bytesOf(attribute, 1)).toString(), plain];
    }),
  );
}

function messages(fields: Fields, field: number): Fields[] {
  return (fields.get(field) ?? []).map((bytes) => fieldsOf(bytes as Uint8Array));
}

function hexOf(fields: Fields, field: number): string {
  return Buffer.from(bytesOf(fields, field)).toString("hex");
}

function bytesOf(fields: Fields, field: number): Uint8Array {
  const value = fields.get(field)?.[0];
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** Values of a message by field number: bytes, or numbers as they are on the wire. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | number | bigint)[]>();
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const value =
      wire === 2 ? reader.bytes() : wire === 0 ? Number(reader.uint64()) : wire === 1 ? reader.double() : reader.float();
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}
