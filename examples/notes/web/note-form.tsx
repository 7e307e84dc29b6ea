import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

const maxLength = 10_000;

export interface NoteFormProps {
  /** Called with the text. If it rejects, the form shows the error's message and keeps the text. */
  readonly onAdd: (text: string) => Promise<void>;
  /** Whether the viewer came to write a note. */
  readonly isNew: boolean;
}

/** A form for a new note. The button or Ctrl+Enter submits it. */
export function NoteForm({ onAdd, isNew }: NoteFormProps) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    if (isNew) field.current?.focus();
  }, [isNew]);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (text.trim() === "") {
      setProblem("Write something first.");
      field.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await onAdd(text);
      setText("");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
      field.current?.focus();
    }
  }

  function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
  }

  return (
    <form className="card" onSubmit={(event) => void submit(event)} noValidate>
      <label htmlFor={id}>New note</label>
      <textarea
        id={id}
        ref={field}
        rows={3}
        maxLength={maxLength}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={submitOnEnter}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
      />
      <div className="row spread">
        <p id={`${id}-hint`} className={problem ? "small error" : "small dim"} role={problem ? "alert" : undefined}>
          {problem ?? "#words become tags"}
        </p>
        <button type="submit" className="primary" aria-disabled={busy}>
          {busy ? "Adding…" : "Add note"}
        </button>
      </div>
    </form>
  );
}
