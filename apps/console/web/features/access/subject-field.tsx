import { readableSubject } from "@appserver/contracts/authorization";
import { Autocomplete, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { peopleQuery } from "../../api/subjects.ts";
import { i18n } from "../../i18n.ts";

const typingMs = 250;
const subject = new RegExp(`^${readableSubject}$`);

interface SubjectFieldProps {
  /** Id of the subject, as `user:alice`. Empty: none is chosen. */
  readonly value: string;
  readonly roles: readonly string[];
  readonly onChange: (subject: string) => void;
}

/** Finds a person by name, sign-in address or id. Also accepts the id of any subject. */
export function SubjectField({ value, roles, onChange }: SubjectFieldProps) {
  const [initial] = useState(value);
  const [text, setText] = useState(value);
  const [search] = useDebouncedValue(text.trim().replace(/^user:/, ""), typingMs);
  const { data: people = [], error } = useQuery({ ...peopleQuery(search), placeholderData: keepPreviousData });
  const names = new Map(people.map(({ id, displayName }) => [id, displayName ?? id]));
  const others = ["user:*", ...roles.map((role) => `role:${role}#assignee`)].filter((id) => id.includes(text.trim()));
  const isSubject = subject.test(text.trim());
  return (
    <>
      <Autocomplete
        label={i18n.t("Who")}
        placeholder={i18n.t("Name, sign-in address, or an id")}
        description={i18n.t(
          "A person, an app as app:<name>, the members of a group as group:<name>#member, those of a role as role:<name>#assignee, or user:* for everyone.",
        )}
        data={[...names.keys(), ...others.filter((id) => !names.has(id))]}
        // What the platform found matches by name or address, too.
        filter={({ options }) => options}
        renderOption={({ option }) => (
          <div>
            <Text size="sm">{names.get(option.value) ?? option.value}</Text>
            {names.has(option.value) && (
              <Text size="xs" c="dimmed">
                {option.value}
              </Text>
            )}
          </div>
        )}
        value={text}
        onChange={(typed) => {
          setText(typed);
          onChange(subject.test(typed.trim()) ? typed.trim() : "");
        }}
        openOnFocus={initial === ""}
        {...(initial === "" && { "data-autofocus": true })}
      />
      {error && (
        <Text size="sm" c="dimmed">
          {i18n.t("People cannot be searched: {message}. Enter the id, as user:<id>.", { message: error.message })}
        </Text>
      )}
      {!isSubject && text.trim() !== "" && !error && (
        <Text size="sm" c="dimmed">
          {i18n.t("Choose a person from the list.")}
        </Text>
      )}
    </>
  );
}
