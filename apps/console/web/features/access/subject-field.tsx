import { readableSubject } from "@appserver/contracts/authorization";
import { Autocomplete, CloseButton, Group, Input, Paper, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { peopleQuery } from "../../api/subjects.ts";
import { i18n } from "../../i18n.ts";
import { Who } from "../../parts/who.tsx";
import { subjectName } from "./tuple-text.ts";

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
  const [isTyping, setTyping] = useState(false);
  const [isCleared, setCleared] = useState(false);
  if (value !== "" && !isTyping)
    return (
      <Chosen
        id={value}
        onClear={() => {
          setCleared(true);
          onChange("");
        }}
      />
    );
  return <SubjectSearch roles={roles} autoFocus={isCleared} onTyping={setTyping} onChange={onChange} />;
}

function Chosen({ id, onClear }: { readonly id: string; readonly onClear: () => void }) {
  return (
    <Input.Wrapper label={i18n.t("Who")} labelElement="div">
      {/* As high as the field, so that a click on what is below does not miss it. */}
      <Paper withBorder radius="sm" px="sm" h={36}>
        <Group justify="space-between" wrap="nowrap" h="100%">
          <SubjectText id={id} />
          <CloseButton size="sm" aria-label={i18n.t("Choose another")} onClick={onClear} />
        </Group>
      </Paper>
    </Input.Wrapper>
  );
}

function SubjectText({ id, name }: { readonly id: string; readonly name?: string | undefined }) {
  if (/^(?:user:(?!\*)|machine:)/.test(id) && name === undefined) return <Who id={id} isLink={false} />;
  return <Text size="sm">{subjectName({ id, displayName: name ?? null })}</Text>;
}

interface SearchProps extends Pick<SubjectFieldProps, "roles" | "onChange"> {
  readonly autoFocus: boolean;
  readonly onTyping: (isTyping: boolean) => void;
}

function SubjectSearch({ roles, autoFocus, onTyping, onChange }: SearchProps) {
  const [text, setText] = useState("");
  const typed = text.trim();
  const [search] = useDebouncedValue(typed.replace(/^user:/, ""), typingMs);
  const { data: people = [], error } = useQuery({ ...peopleQuery(search), placeholderData: keepPreviousData });
  const names = new Map(people.map(({ id, displayName }) => [id, displayName ?? id]));
  const isSubject = subject.test(typed);
  const others = ["user:*", ...roles.map((role) => `role:${role}#assignee`)].filter((id) => id.includes(typed));
  const chosen = useRef<string>(undefined);
  const choose = (id: string): void => {
    chosen.current = id;
    onTyping(false);
    onChange(id);
  };
  return (
    <>
      <Autocomplete
        label={i18n.t("Who")}
        placeholder={i18n.t("Name, sign-in address, or an id")}
        data={[...new Set([...names.keys(), ...others, ...(isSubject ? [typed] : [])])]}
        // What the platform found matches by name or address, too.
        filter={({ options }) => options}
        renderOption={({ option: { value } }) => (
          <div>
            <SubjectText id={value} name={names.get(value)} />
            <Text size="xs" c="dimmed">
              {value}
            </Text>
          </div>
        )}
        value={text}
        onChange={(text) => {
          setText(text);
          // An option that was chosen also arrives as text.
          if (text === chosen.current) return;
          chosen.current = undefined;
          onTyping(true);
          onChange(subject.test(text.trim()) ? text.trim() : "");
        }}
        onOptionSubmit={choose}
        onBlur={() => isSubject && choose(typed)}
        autoFocus={autoFocus}
        openOnFocus
        data-autofocus
      />
      {error && (
        <Text size="sm" c="dimmed">
          {i18n.t("People cannot be searched: {message}. Enter the id, as user:<id>.", { message: error.message })}
        </Text>
      )}
      {!isSubject && typed !== "" && !error && (
        <Text size="sm" c="dimmed">
          {i18n.t(
            "Choose a person from the list, or enter an id: app:<name>, group:<name>#member, role:<name>#assignee, or user:* for everyone.",
          )}
        </Text>
      )}
    </>
  );
}
