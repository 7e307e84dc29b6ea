/** A name in an id such as `role:<name>`. Other characters of a group's name are written as `%` and two hexadecimal digits. */
const name = "[A-Za-z0-9._@+|%-]{1,128}";
/** Operators of the authorization service can have used other names. */
const anyName = "[^\\s#:]{1,256}";

/** Those who can have access, for messages and the help of commands. */
export const subjectForm = "user:<id>, machine:<id>, app:<name>, group:<name>#member or role:<name>#assignee";

/** The source of a regular expression for subjects that can be given access, except `user:*`. */
export const grantableSubject: string = `(?:(?:user|machine|app):${name}|group:${name}#member|role:${name}#assignee)`;

/** The source of a regular expression for subjects whose access can be read. */
export const readableSubject: string = `(?:(?:user|machine|app):${anyName}|group:${anyName}#member|role:${anyName}#assignee)`;

/** Splits a userset, such as `role:easy#assignee`, into those who have `relation` to `object`. Undefined for any other subject. */
export function usersetOf(subject: string): { readonly object: string; readonly relation: string } | undefined {
  const [, object, relation] = /^([^#]+)#([^#]+)$/.exec(subject) ?? [];
  return object === undefined || relation === undefined ? undefined : { object, relation };
}

/** Names and ids of groups are longer at no provider that we know. */
const maxGroupBytes = 128;

/** Returns `group:<name>`. Undefined for a name that is empty or too long. */
export function groupObject(groupName: string): string | undefined {
  const text = encodeURIComponent(groupName.toWellFormed()).replaceAll(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return text === "" || text.length > maxGroupBytes ? undefined : `group:${text}`;
}

/** Returns the name of a group from its object or its members, as in `group:acme%2Fplatform#member`. Undefined for another text. */
export function groupName(subject: string): string | undefined {
  const [, text] = /^group:([^#]+)(?:#member)?$/.exec(subject) ?? [];
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}
