import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { Section } from "../../parts/facts.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { membersQuery, rolesQuery } from "./access-queries.ts";
import { GrantDialog } from "./grant-dialog.tsx";
import { RevokeButton } from "./revoke-button.tsx";
import { SubjectLink } from "./subject-link.tsx";
import { levelName, roleNames } from "./tuple-text.ts";
import { useSteps } from "./use-steps.ts";

const levels = ["owner", "editor", "viewer"];

/** Who may use an app: its owners, editors and viewers. */
export function AppMembers({ name }: { readonly name: string }) {
  const { permissions } = useViewer();
  const { data: members, error, refetch } = useQuery(membersQuery(name));
  const { data: roles = [] } = useQuery(rolesQuery);
  const [grants, setGrants] = useState(false);
  const shown = (members ?? [])
    .filter(({ relation }) => levels.includes(relation))
    .sort((a, b) => levels.indexOf(a.relation) - levels.indexOf(b.relation));
  const steps = useSteps(shown);
  return (
    <Section title={i18n.t("Who may use the app")}>
      <Stack gap="sm">
        <Group justify="space-between">
          <PageLink to="/console/access/permissions" search={{ app: name }} underline="always" size="sm">
            {i18n.t("Who holds a permission of the app, and why")}
          </PageLink>
          {permissions.includes("access:manage") && (
            <Button size="xs" variant="default" onClick={() => setGrants(true)}>
              {i18n.t("Give access")}
            </Button>
          )}
        </Group>
        {error && <Failure error={error} retry={() => void refetch()} />}
        {!members && !error && <Loading />}
        {members && shown.length === 0 && (
          <Text c="dimmed">{i18n.t("No owners, editors or viewers. An installed app belongs to the administrators.")}</Text>
        )}
        {steps.shown.map(({ relation, subject }) => (
          <Group key={`${relation} ${subject.id}`} justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <Status>{levelName(relation)}</Status>
              <SubjectLink subject={subject} />
            </Group>
            <RevokeButton subject={subject} tuple={{ user: subject.id, relation, object: `app:${name}` }} />
          </Group>
        ))}
        <MoreButton query={steps.more} />
      </Stack>
      <GrantDialog granted={grants ? { app: name } : undefined} roles={roleNames(roles)} onClose={() => setGrants(false)} />
    </Section>
  );
}
