import { type Attribute, groupType, type ResourceType, userType } from "./attribute.ts";
import { listResponse, maxPageSize } from "./page.ts";
import { notFound, ScimError } from "./scim-error.ts";
import type { JsonObject } from "./values.ts";

const types: readonly ResourceType[] = [userType, groupType];
const core = "urn:ietf:params:scim:schemas:core:2.0";

/** Returns what the service can do (RFC 7644 section 4). Undefined for any other path. */
export function discovered(path: string, query: URLSearchParams, base: string): JsonObject | undefined {
  const [, kind = "", id] = /^\/(ServiceProviderConfig|ResourceTypes|Schemas)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (kind === "") return undefined;
  if (query.has("filter")) throw new ScimError(403, `${kind} cannot be filtered`);
  if (kind === "ServiceProviderConfig") return id === undefined ? configuration(base) : undefined;
  const all = types.map((type) => (kind === "Schemas" ? schemaOf(type, base) : resourceTypeOf(type, base)));
  if (id === undefined) return listResponse({ total: all.length, resources: all }, 1);
  const found = all.find((each) => each["id"] === id);
  if (!found) throw notFound(`${kind}/${id.slice(0, 100)}`);
  return found;
}

function configuration(base: string): JsonObject {
  const unsupported = { supported: false };
  return {
    schemas: [`${core}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { ...unsupported, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: maxPageSize },
    changePassword: unsupported,
    sort: unsupported,
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The token of the option accounts.scim_token",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}

function resourceTypeOf({ name, endpoint, schema, description }: ResourceType, base: string): JsonObject {
  const meta = { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` };
  return { schemas: [`${core}:ResourceType`], id: name, name, endpoint, description, schema, meta };
}

function schemaOf({ name, schema, description, attributes }: ResourceType, base: string): JsonObject {
  const meta = { resourceType: "Schema", location: `${base}/Schemas/${schema}` };
  return { schemas: [`${core}:Schema`], id: schema, name, description, attributes: attributes.map(described), meta };
}

/** RFC 7643 section 7. */
function described(attribute: Attribute): JsonObject {
  const { name, type, description, parts } = attribute;
  return {
    name,
    type,
    multiValued: attribute.isList ?? false,
    description,
    required: attribute.isRequired ?? false,
    caseExact: attribute.isExact ?? type === "reference",
    mutability: attribute.isReadOnly ? "readOnly" : "readWrite",
    returned: "default",
    uniqueness: attribute.isUnique ? "server" : "none",
    ...(type === "reference" && { referenceTypes: types.map((each) => each.name) }),
    ...(parts && { subAttributes: parts.map(described) }),
  };
}
