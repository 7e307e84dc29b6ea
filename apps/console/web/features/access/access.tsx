import { Breadcrumbs, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { PageLink } from "../../parts/page-link.tsx";
import { PageTabs } from "../../parts/page-tabs.tsx";
import { usePageTitle } from "../../parts/page-title.ts";
import { Needs } from "../../parts/states.tsx";
import { Initials } from "../../parts/who.tsx";
import { rolesQuery } from "./access-queries.ts";
import { GrantDialog } from "./grant-dialog.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { roleNames, subjectName } from "./tuple-text.ts";
import { useSubject } from "./use-subject.ts";

const route = getRouteApi("/shell/console/access");

const tabs = [
  { value: "people", title: i18n.t("People"), to: "/console/access" },
  { value: "requests", title: i18n.t("Requests"), to: "/console/access/requests" },
  { value: "roles", title: i18n.t("Roles"), to: "/console/access/roles" },
  { value: "groups", title: i18n.t("Groups"), to: "/console/access/groups" },
  { value: "service-accounts", title: i18n.t("Service accounts"), to: "/console/access/service-accounts" },
  { value: "permissions", title: i18n.t("Permissions"), to: "/console/access/permissions" },
] as const;

/** The head of the pages about access: the command and the tabs. */
export function Access() {
  return (
    <Needs permission="access:view">
      <Head />
    </Needs>
  );
}

function Head() {
  const { permissions } = useViewer();
  const { subject } = route.useSearch();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const { data: roles = [] } = useQuery(rolesQuery);
  const [grants, setGrants] = useState(false);
  const [invites, setInvites] = useState(false);
  const tab = tabs.find(({ value }) => pathname.endsWith(`/${value}`))?.value ?? "people";
  const open = (chosen: typeof tab): void => {
    const { to } = tabs.find(({ value }) => value === chosen) ?? tabs[0];
    void navigate({ to });
  };
  return (
    <Stack>
      <Group justify="space-between">
        {tab === "people" && subject ? <SubjectTitle id={subject} /> : <AccessTitle />}
        {permissions.includes("access:manage") && (
          <Group>
            <Button variant="default" onClick={() => setInvites(true)}>
              {i18n.t("Invite")}
            </Button>
            <Button variant={tab === "service-accounts" ? "default" : "filled"} onClick={() => setGrants(true)}>
              {i18n.t("Grant access")}
            </Button>
          </Group>
        )}
      </Group>
      <PageTabs label={i18n.t("Pages of access")} tabs={tabs} value={tab} onOpen={open}>
        <Outlet />
      </PageTabs>
      <InviteDialog opened={invites} roles={roleNames(roles)} onClose={() => setInvites(false)} />
      <GrantDialog
        granted={grants ? { ...(tab === "people" && subject && { user: subject }) } : undefined}
        roles={roleNames(roles)}
        onClose={() => setGrants(false)}
      />
    </Stack>
  );
}

function AccessTitle() {
  usePageTitle(i18n.t("Access"));
  return <Title order={1}>{i18n.t("Access")}</Title>;
}

/** The title of the page of a person, an app or a role. */
function SubjectTitle({ id }: { readonly id: string }) {
  const name = subjectName(useSubject(id));
  usePageTitle(name);
  return (
    <Stack gap="xs" miw={0}>
      <Breadcrumbs>
        <PageLink to="/console/access">{i18n.t("Access")}</PageLink>
        <Text>{name}</Text>
      </Breadcrumbs>
      <Group gap="sm" wrap="nowrap">
        <Initials id={id} name={name} isLarge />
        <div>
          <Title order={1}>{name}</Title>
          <Text size="sm" c="dimmed" className="wrap">
            {id}
          </Text>
        </div>
      </Group>
    </Stack>
  );
}
