import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { Section } from "../../parts/facts.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { type Role, rolesQuery } from "./access-queries.ts";
import { GrantDialog } from "./grant-dialog.tsx";
import { RevokeButton } from "./revoke-button.tsx";
import { SubjectLink } from "./subject-link.tsx";
import { roleNames } from "./tuple-text.ts";
import { useSteps } from "./use-steps.ts";

/** The roles, each with those who have it. */
export function AccessRoles() {
  const { data: roles, error, refetch } = useQuery(rolesQuery);
  const { permissions } = useViewer();
  /** The role that gets a member. Empty: a new one. */
  const [role, setRole] = useState<string>();
  if (error && roles === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!roles) return <Loading />;
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed" flex="1 1 20rem">
          {i18n.t("A role exists as soon as it has a member. Grant permissions to the role, and all its members have them.")}
        </Text>
        {permissions.includes("access:manage") && (
          <Button variant="default" onClick={() => setRole("")}>
            {i18n.t("New role")}
          </Button>
        )}
      </Group>
      {roles.map((each) => (
        <RoleSection key={each.id} role={each} onAdd={setRole} />
      ))}
      <GrantDialog
        granted={role === undefined ? undefined : { role }}
        roles={roleNames(roles)}
        onClose={() => setRole(undefined)}
      />
    </Stack>
  );
}

interface RoleProps {
  readonly role: Role;
  readonly onAdd: (name: string) => void;
}

function RoleSection({ role: { id, isAdministrator, assignees }, onAdd }: RoleProps) {
  const { permissions } = useViewer();
  const name = id.slice("role:".length);
  const { shown, more } = useSteps(assignees);
  return (
    <Section
      title={isAdministrator ? i18n.t("Administrators") : i18n.t("Role {name}", { name })}
      action={
        permissions.includes("access:manage") && (
          <Button
            size="xs"
            variant="default"
            onClick={() => onAdd(name)}
            aria-label={
              isAdministrator ? i18n.t("Add a member to Administrators") : i18n.t("Add a member to role {name}", { name })
            }
          >
            {i18n.t("Add a member")}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <PageLink to="/console/access" search={{ subject: `${id}#assignee` }} underline="always" size="sm">
          {isAdministrator ? i18n.t("What administrators may do") : i18n.t("What {name} may do", { name })}
        </PageLink>
        {assignees.length === 0 && <Text c="dimmed">{i18n.t("No members yet. Add a person.")}</Text>}
        {shown.map((subject) => (
          <Group key={subject.id} justify="space-between" wrap="nowrap">
            <SubjectLink subject={subject} />
            <RevokeButton subject={subject} tuple={{ user: subject.id, relation: "assignee", object: id }} />
          </Group>
        ))}
        <MoreButton query={more} />
      </Stack>
    </Section>
  );
}
