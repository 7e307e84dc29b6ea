import { platformPermissions } from "@appserver/contracts/authorization";
import type { ClosedApp as ClosedAppNode, PageScript } from "@appserver/contracts/graphql/types";
import { type Call, type Caller, onOwnApp, subjectOf } from "@appserver/kernel";
import { mayRegister } from "../../use-cases/admit-registration.ts";
import { readClosedApps } from "../../use-cases/read-closed-apps.ts";
import { isSandboxed, readHeldPermissions, readPage, readPages } from "../../use-cases/read-navigation.ts";
import type { GraphqlDeps } from "./app-node.ts";
import * as present from "./present.ts";

const permissions = Object.keys(platformPermissions).map((permission) => ({ permission }));

/** Returns the resolvers of the queries `viewer`, `frontendFeed`, `frontendPage` and `closedApps`. Every caller may ask who it is and what it sees. */
export function viewerQueries({ context, assetUrl }: GraphqlDeps) {
  return {
    frontendFeed: async (_: unknown, __: unknown, call: Call): Promise<readonly present.PageNode[]> =>
      (await readPages(context, call)).flatMap((page) => present.frontendPage(page, assetUrl) ?? []),
    frontendPage: async (_: unknown, { name }: { readonly name: string }, call: Call): Promise<present.PageNode | null> => {
      const page = await readPage(context, name, call);
      return (page && present.frontendPage(page, assetUrl)) ?? null;
    },
    closedApps: async (_: unknown, __: unknown, call: Call): Promise<readonly ClosedAppNode[]> =>
      (await readClosedApps(context, call)).map(present.closedApp),
    viewer: (_: unknown, __: unknown, { caller }: Call) => ({
      subject: subjectOf(caller) ?? null,
      kind: caller.kind,
      displayName: displayNameOf(caller),
    }),
  };
}

function displayNameOf(caller: Caller): string | null {
  if (caller.kind === "user") return caller.displayName;
  return caller.kind === "machine" ? caller.name : null;
}

/** Returns the resolvers of the fields of Viewer that need permission checks. They run only if a query selects them. */
export function viewerFields({ context }: GraphqlDeps) {
  return {
    permissions: async (_: unknown, __: unknown, call: Call) => {
      const held = await context.permissions.allowedEach(onOwnApp(call.caller), permissions);
      return permissions.filter((___, index) => held[index]).map(({ permission }) => permission);
    },
    mayRegister: (_: unknown, __: unknown, { caller }: Call): Promise<boolean> => mayRegister(context, onOwnApp(caller)),
    navigation: async (_: unknown, __: unknown, call: Call) =>
      (await readPages(context, call)).flatMap(({ navigation }) => navigation.map(present.visibleRoute)),
  };
}

/** Returns the resolvers of the fields of FrontendPage that most queries do not need. */
export function pageFields({ context, assetUrl }: GraphqlDeps) {
  return {
    sandboxed: ({ app }: present.PageNode): Promise<boolean> => isSandboxed(context, app),
    permissions: ({ manifest }: present.PageNode, _: unknown, call: Call): Promise<readonly string[]> =>
      readHeldPermissions(context, manifest, call),
    scripts: (page: present.PageNode): readonly PageScript[] => present.pageScripts(page, assetUrl),
  };
}
