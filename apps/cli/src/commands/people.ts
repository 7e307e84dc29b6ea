import { ask, found } from "../client.ts";
import {
  PersonAccountDocument,
  type PersonAccountQuery,
  PersonRecordsDocument,
  RemovePersonDocument,
  SetPersonActiveDocument,
  type SetPersonActiveMutationVariables,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";

type PersonAccount = NonNullable<PersonAccountQuery["personAccount"]>;

/** Shows whether a person can sign in. */
export async function showPerson(options: GlobalOptions, id: string): Promise<void> {
  const { personAccount } = await ask(options, PersonAccountDocument, { id });
  show(options, found(personAccount, `account ${id}`));
}

/** Disables or enables an account. */
export async function setActive(options: GlobalOptions, change: SetPersonActiveMutationVariables): Promise<void> {
  const { setPersonActive } = await ask(options, SetPersonActiveDocument, change);
  show(options, setPersonActive);
}

/** Deletes an account. */
export async function removePerson(options: GlobalOptions, id: string): Promise<void> {
  await ask(options, RemovePersonDocument, { id });
  if (options.json) printJson({ id });
  else print(`${id} is removed, with all that the person was given`);
}

/** Prints what is stored of a person, always as JSON. */
export async function exportPerson(options: GlobalOptions, id: string): Promise<void> {
  const { personRecords } = await ask(options, PersonRecordsDocument, { id });
  printJson(personRecords);
}

function show(options: GlobalOptions, account: PersonAccount): void {
  if (options.json) printJson(account);
  else print(`${account.id} is ${account.state.toLowerCase()}, since ${account.createdAt} an account`);
}
