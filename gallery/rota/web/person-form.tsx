import type { PageContext } from "@appserver/sdk/page";
import { callBackend, SendForm } from "@appserver/sdk/react";
import { useEffect, useState } from "react";
import type { Member } from "../src/rota.ts";

/** A form that finds a person by a part of the name. */
export function PersonForm(props: {
  readonly page: PageContext;
  readonly title: string;
  readonly submit: string;
  readonly send: (userId: string) => Promise<void>;
}) {
  const { page, title, submit, send } = props;
  const [text, setText] = useState("");
  const [found, setFound] = useState<readonly Member[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    const show = (people: readonly Member[], error?: string): void => {
      if (!isCurrent) return;
      setFound(people);
      setProblem(error);
    };
    const isLongEnough = text.trim().length >= 2;
    const search = `/people?text=${encodeURIComponent(text.trim())}`;
    if (!isLongEnough) show([]);
    else
      callBackend<{ readonly people: readonly Member[] }>(page, "GET", search).then(
        ({ people }) => show(people, people.length === 0 ? "No person has this in their name." : undefined),
        (error: Error) => show([], error.message),
      );
    return () => {
      isCurrent = false;
    };
  }, [page, text]);
  const sendFound = async ({ userId = "" }: Readonly<Record<string, string>>): Promise<void> => {
    await send(userId);
    setText("");
  };
  return (
    <section className="stack">
      <h2>{title}</h2>
      <SendForm send={sendFound} submit={submit}>
        <label>
          Find by name
          <input type="search" value={text} maxLength={100} onChange={(event) => setText(event.target.value)} />
        </label>
        {problem !== undefined && <output>{problem}</output>}
        <label>
          Person
          <select name="userId" required>
            {found.length === 0 && <option value="">First type a part of the name</option>}
            {found.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </SendForm>
    </section>
  );
}
