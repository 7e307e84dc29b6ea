import { jsonOf, type PlatformUnderTest, send } from "@appserver/testing/kit";

export interface ValueSchema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly anyOf?: readonly ValueSchema[];
  readonly items?: ValueSchema;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
}

/** A route of REST as the OpenAPI document describes it. */
export interface RestRoute {
  readonly method: string;
  /** With `{name}` for a segment. */
  readonly path: string;
  readonly parameters: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema: ValueSchema;
  }[];
  readonly body:
    | { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, ValueSchema>> }
    | undefined;
}

interface Described extends Pick<Partial<RestRoute>, "parameters"> {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: RestRoute["body"] }>> };
}

/** Returns the routes of REST v2 by their `operationId`. */
export async function readRoutes(platform: PlatformUnderTest): Promise<ReadonlyMap<string, RestRoute>> {
  const answer = await send(platform.httpUrl, "/api/v2/openapi.json", { headers: platform.administrator });
  const { paths } = jsonOf(answer) as { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => {
      const body = requestBody?.content["application/json"]?.schema;
      return [operationId, { method: method.toUpperCase(), path, parameters, body }] as const;
    }),
  );
  return new Map(routes);
}

/** Returns the names of what the operation takes. `wait` concerns the response only (docs/interface/rest.md#operations). */
export function inputsOf({ parameters, body }: RestRoute): readonly string[] {
  const ofUrl = parameters.filter((parameter) => parameter.in !== "header").map(({ name }) => name);
  return [...ofUrl, ...Object.keys(body?.properties ?? {})].filter((name) => name !== "wait");
}
