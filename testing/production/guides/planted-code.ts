import { onDatabase } from "@appserver/testing/kit";
import type { GuideMachine } from "./guide-machine.ts";
import { appDatabases } from "./platform-facts.ts";

/**
 * Stores rows in the databases of all apps, as the apps can, with a constraint that runs code whenever a row is stored. It refuses
 * superusers, so a restore that runs the code of an app as one of them fails.
 */
export async function plantCode(machine: GuideMachine): Promise<void> {
  for (const database of await appDatabases(machine)) {
    const statements = `
      set role "${database}";
      create function public.is_app() returns boolean language sql stable
        as 'select not rolsuper from pg_catalog.pg_roles where rolname = current_user';
      create table public.planted (id integer check (public.is_app()));
      insert into public.planted values (1)`;
    await onDatabase(machine.connection("apps", database), (sql) => sql.query(statements));
  }
}
