/** An attribute of a resource, as RFC 7643 section 7 describes it. Only these are stored, changed and shown. */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "complex" | "reference";
  readonly description: string;
  readonly isList?: boolean;
  readonly isRequired?: boolean;
  readonly isExact?: boolean;
  readonly isReadOnly?: boolean;
  readonly isUnique?: boolean;
  readonly parts?: readonly Attribute[];
}

export const schemaIds = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
} as const;

/** A kind of resource. */
export interface ResourceType {
  readonly name: "User" | "Group";
  readonly endpoint: "/Users" | "/Groups";
  readonly schema: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

function text(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return { name, type: "string", description, ...more };
}

const nameParts: readonly Attribute[] = [
  text("formatted", "The whole name"),
  text("familyName", "Family name"),
  text("givenName", "Given name"),
  text("middleName", "Middle names"),
  text("honorificPrefix", "Title before the name"),
  text("honorificSuffix", "Suffix after the name"),
];

const emailParts: readonly Attribute[] = [
  text("value", "The address"),
  text("display", "The address as it is shown"),
  text("type", "work, home or other"),
  { name: "primary", type: "boolean", description: "Whether it is the address of the account" },
];

const referenceParts: readonly Attribute[] = [
  text("value", "Id", { isExact: true }),
  { name: "$ref", type: "reference", description: "Address", isReadOnly: true },
  text("display", "Name", { isReadOnly: true }),
  text("type", "User", { isReadOnly: true }),
];

export const userType: ResourceType = {
  name: "User",
  endpoint: "/Users",
  schema: schemaIds.user,
  description: "A person with an account",
  attributes: [
    text("userName", "Name of the account in the client", { isRequired: true, isUnique: true }),
    {
      name: "name",
      type: "complex",
      description: "Parts of the name",
      parts: nameParts,
    },
    text("displayName", "Name that other people see"),
    { name: "emails", type: "complex", isList: true, description: "Addresses; one is that of the account", parts: emailParts },
    { name: "active", type: "boolean", description: "Whether the person can sign in" },
    {
      name: "groups",
      type: "complex",
      isList: true,
      isReadOnly: true,
      description: "Groups of the person",
      parts: referenceParts,
    },
  ],
};

export const groupType: ResourceType = {
  name: "Group",
  endpoint: "/Groups",
  schema: schemaIds.group,
  description: "A group of people, to which the platform can give roles",
  attributes: [
    text("displayName", "Name of the group", { isRequired: true, isUnique: true }),
    { name: "members", type: "complex", isList: true, description: "People in the group", parts: referenceParts },
  ],
};

/** Those of every resource, which no schema lists (RFC 7643 section 3.1). */
const common: readonly Attribute[] = [
  text("id", "Id", { isReadOnly: true, isExact: true }),
  text("externalId", "Id in the client", { isExact: true }),
  { name: "meta", type: "complex", description: "Times and version", isReadOnly: true },
  { name: "schemas", type: "reference", isList: true, description: "Schemas", isReadOnly: true },
];

/** Returns the attribute with this name in any case. Undefined if it is none that the platform has. */
export function attributeOf({ attributes }: ResourceType, name: string): Attribute | undefined {
  return named(attributes, name) ?? named(common, name);
}

export function named(attributes: readonly Attribute[] = [], name: string): Attribute | undefined {
  const key = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === key);
}
