import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { completeUrl, EXAMPLES } from '../studio/pages/fetch-page.ts';
import styles from './parsers.module.css';

/** The first minute: one field and three examples. */
export function FirstParser() {
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  return (
    <div className={`state ${styles.first}`}>
      <h2>Which page do you want data from?</h2>
      <p>
        Open it, click on what you want, and see it as a table. Then run it over as many pages as you like.
      </p>
      <form
        className={`row ${styles.openLine}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (url.trim() === '') return;
          const search = { open: completeUrl(url) };
          void navigate({ to: '/parsers/new', search, state: (known) => ({ ...known, isPaid: true }) });
        }}
      >
        <TextInput
          size="md"
          className="grow"
          aria-label="Address of a page"
          placeholder="Paste a link to a page"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          autoFocus
        />
        <Button size="md" type="submit" disabled={url.trim() === ''}>
          Open for 1 credit
        </Button>
      </form>
      <p>Or start with an example, free of charge:</p>
      <div className="choice">
        {EXAMPLES.map(({ name, title, about }) => (
          <button
            key={name}
            type="button"
            onClick={() => void navigate({ to: '/parsers/new', search: { example: name } })}
          >
            {title}
            <small>{about}</small>
          </button>
        ))}
      </div>
    </div>
  );
}
