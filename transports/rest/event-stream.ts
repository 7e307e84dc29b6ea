import type { RestCall, RestReply, RestResponse, ServerSentEvent } from "@appserver/kernel";
import type { GraphQLOutputType, GraphQLSchema } from "graphql";
import { FieldOperation, rootField, type Variables } from "./field-operation.ts";
import type { ResponseSchemas } from "./response-schemas.ts";
import { selectionOf } from "./selection.ts";

/** The values of a subscription as server-sent events. */
export class EventStream {
  readonly headers = { "Last-Event-ID": "for streams: first the events that followed this one" } as const;
  readonly #operation: FieldOperation;
  readonly #after: string;
  readonly #arguments: readonly string[];
  readonly #type: GraphQLOutputType;

  /** `after`: the argument of the subscription for `Last-Event-ID`. Throws if the schema does not have the field. */
  constructor(schema: GraphQLSchema, { field, after }: { readonly field: string; readonly after: string }) {
    const { args, type } = rootField(schema, "subscription", field);
    this.#operation = new FieldOperation(schema, "subscription", field, selectionOf(type, "whole"));
    this.#after = after;
    this.#type = type;
    this.#arguments = args.map(({ name }) => name).filter((name) => name !== after);
  }

  /**
   * Returns the documentation of the responses with that of the stream. OpenAPI 3.1 has no keyword for the events of a stream:
   * readers take its schema for that of each event.
   */
  responses(own: Readonly<Record<number, RestResponse>>, schemas: ResponseSchemas): Readonly<Record<number, RestResponse>> {
    const { description = "", headers = {}, ...success } = own[200] ?? {};
    const json = { contentMediaType: "application/json", contentSchema: schemas.of(this.#type, "whole") };
    const stream = {
      type: "object",
      description: "each event of the stream",
      properties: { id: { type: "string", description: "for Last-Event-ID" }, data: { type: "string", ...json } },
      required: ["id", "data"],
    };
    // The stream has no headers of its own.
    const optional = Object.entries(headers).map(([name, header]) => [name, { ...header, isRequired: false }]);
    const either = { ...success, description, headers: Object.fromEntries(optional) };
    return { ...own, 200: { ...either, others: { "text/event-stream": stream } } };
  }

  /** Rejects with the errors of the subscription if it cannot begin. */
  async open(variables: Variables, call: RestCall): Promise<RestReply> {
    const known = Object.fromEntries(this.#arguments.map((name) => [name, variables[name]]));
    const values = await this.#operation.watch({ ...known, [this.#after]: call.header("last-event-id") }, call);
    return { status: 200, events: withIds(values) };
  }
}

/** Whether the client asks for a stream, as EventSource does. One that accepts JSON as well gets a page. */
export function acceptsEvents(call: RestCall): boolean {
  const accepted = (call.header("accept") ?? "").toLowerCase();
  return accepted.includes("text/event-stream") && !accepted.includes("application/json");
}

async function* withIds(values: AsyncIterable<unknown>): AsyncGenerator<ServerSentEvent> {
  for await (const data of values) yield { id: (data as { readonly id: string }).id, data };
}
