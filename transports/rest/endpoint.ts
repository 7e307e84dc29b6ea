import { platformOperations, type RestEndpoint } from "@appserver/contracts/operations";

/** A route of REST v2 with the field of the GraphQL schema that it is. */
export interface Endpoint extends Omit<RestEndpoint, "method"> {
  readonly type: "query" | "mutation";
  /** Name of the field, and of the operation in the OpenAPI document. */
  readonly field: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
}

/** The routes of REST v2 that are fields of the GraphQL schema (docs/interface/rest.md#endpoints). */
export const endpoints: readonly Endpoint[] = Object.entries(platformOperations).flatMap(([field, { graphql, rest }]) => {
  if (rest === undefined || rest === true || (graphql !== "query" && graphql !== "mutation")) return [];
  return { type: graphql, field, method: graphql === "query" ? "GET" : "POST", ...rest };
});
