import { readableSubject } from "@appserver/contracts/authorization";
import { Text } from "@mantine/core";
import { PageLink } from "../../parts/page-link.tsx";
import { Initials } from "../../parts/who.tsx";
import type { Subject } from "./access-queries.ts";
import { subjectName } from "./tuple-text.ts";

const listed = new RegExp(`^${readableSubject}$`);

/** The name of a subject, which leads to what it holds. */
export function SubjectLink({ subject }: { readonly subject: Subject }) {
  const name = subjectName(subject);
  const hasAccount = /^(?:user|machine):[^*]/.test(subject.id);
  const isListed = listed.test(subject.id) && subject.id !== "user:*";
  return (
    <span className="who" title={subject.id}>
      {hasAccount && <Initials id={subject.id} name={name} />}
      {isListed ? (
        <PageLink to="/console/access" search={{ subject: subject.id }} underline="always">
          {name}
        </PageLink>
      ) : (
        <Text>{name}</Text>
      )}
    </span>
  );
}
