import { createHash } from "node:crypto";
import { AppError, type Caller, isAppError } from "@appserver/kernel";
import { type SettingsContext, type SettingsView, secretsSet, valuesOf } from "../use-cases/context.ts";
import { readSettings } from "../use-cases/read-settings.ts";
import { updateSettings, validateSettings } from "../use-cases/update-settings.ts";
import { schemaJson } from "./schema-json.ts";

/** The data that the REST listener passes for each request. */
export interface HttpCall {
  readonly caller: Caller;
  /** Decoded values of the `{name}` segments of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body as JSON. Undefined if the method has none. */
  readonly body: unknown;
}

/** The response: a value as JSON, or a refusal with its own status. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly error?: AppError;
}

/** Returns the settings part of REST v2 (docs/interface/rest.md#endpoints). It only translates. */
export function settingsHttp(context: SettingsContext) {
  return [
    {
      path: "/api/v2/apps/{id}/settings",
      methods: {
        GET: async (call: HttpCall): Promise<HttpReply> => {
          const reply = represent(await readSettings(context, idOf(call), call.caller));
          return call.header("if-none-match") === reply.headers.etag ? { status: 304, headers: reply.headers } : reply;
        },
        // Merges, as on every transport: an update has one meaning everywhere.
        PUT: async (call: HttpCall): Promise<HttpReply> => {
          const expectedVersion = versionOf(call.header("if-match"));
          try {
            const values = valuesIn(call.body);
            return represent(
              await updateSettings(context, { appId: idOf(call), values, expectedVersion, caller: call.caller }),
            );
          } catch (error) {
            // RFC 9110 §13.1.1: a failed precondition has its own status.
            if (expectedVersion !== undefined && isAppError(error, "CONFLICT")) return { status: 412, error };
            throw error;
          }
        },
      },
    },
    {
      path: "/api/v2/apps/{id}/settings/validate",
      methods: {
        POST: async (call: HttpCall): Promise<HttpReply> => {
          const found = await validateSettings(context, {
            appId: idOf(call),
            values: valuesIn(call.body),
            caller: call.caller,
          });
          const errors = found.map(({ field, code, message }) => ({ key: field, code, message }));
          return { status: 200, json: { valid: errors.length === 0, errors } };
        },
      },
    },
  ] as const;
}

function idOf({ params }: HttpCall): string {
  return params["id"] ?? "";
}

function valuesIn(body: unknown): unknown {
  if (typeof body === "object" && body !== null && "values" in body) return body.values;
  throw new AppError("INVALID_REQUEST", 'the body must be an object with "values"', {
    violations: [{ field: "values", message: "is required" }],
  });
}

function represent(view: SettingsView) {
  const { app, version, updatedAt, updatedBy } = view;
  return {
    status: 200,
    // Other callers get masks, so the response depends on the caller and must not be shared.
    headers: { etag: entityTag(view), "cache-control": "private, no-cache", vary: "Cookie, Authorization, X-App-Name" },
    json: {
      appId: app.id,
      values: valuesOf(view),
      schema: schemaJson(view),
      version,
      secretsSet: secretsSet(view),
      updatedAt: updatedAt?.toISOString() ?? null,
      updatedBy: updatedBy ?? null,
      conditions: view.conditions.map(({ since, ...condition }) => ({ ...condition, lastTransitionTime: since.toISOString() })),
    },
  };
}

/** Returns the version and a hash of the other inputs of the representation. It depends on no value of a setting. */
function entityTag({ version, app, seesSecrets, conditions }: SettingsView): string {
  const rest = JSON.stringify([app.version, seesSecrets, conditions.map(({ message }) => message)]);
  return `"${version}.${createHash("sha256").update(rest).digest("hex").slice(0, 12)}"`;
}

/**
 * Returns the version from one of this service's entity tags. Returns -1, which matches no version, for any other tag. Returns
 * undefined if there is no condition.
 */
function versionOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  const [, version] = /^"(\d{1,9})\.[0-9a-f]{12}"$/.exec(ifMatch.trim()) ?? [];
  return version === undefined ? -1 : Number(version);
}
