import { readableSubject } from "@appserver/contracts/authorization";
import { Text } from "@mantine/core";
import { PageLink } from "../../parts/page-link.tsx";
import type { Subject } from "./access-queries.ts";
import { subjectName } from "./tuple-text.ts";

const listed = new RegExp(`^${readableSubject}$`);

/** The name of a subject, which leads to what it holds. */
export function SubjectLink({ subject }: { readonly subject: Subject }) {
  const name = subjectName(subject);
  const isListed = listed.test(subject.id) && subject.id !== "user:*";
  return (
    <div className="wrap">
      {isListed ? (
        <PageLink to="/console/access" search={{ subject: subject.id }} underline="always">
          {name}
        </PageLink>
      ) : (
        <Text>{name}</Text>
      )}
      {name !== subject.id && (
        <Text size="sm" c="dimmed">
          {subject.id}
        </Text>
      )}
    </div>
  );
}
