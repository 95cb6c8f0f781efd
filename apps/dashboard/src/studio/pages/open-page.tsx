import { Button, FileButton, Popover, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ScrapeConfig } from '@gleaner/client';
import { useState } from 'react';
import type { KeptPage } from '../extraction/protocol.ts';
import { FetchFailure } from '../fetching/page-advice.tsx';
import { BrowserBox, FetchSettings } from '../../fetching/fetch-settings.tsx';
import { Form, textInput } from '../../parts/forms.tsx';
import { fetchWords, priceWords } from '../../fetching/words.ts';
import { completeUrl, createPage, type Fetching } from '../fetching/fetch-page.ts';
import styles from './pages.module.css';

export interface OpenPageProps {
  fetching: Fetching;
  /** How the page is fetched. */
  config: ScrapeConfig;
  onConfig: (config: ScrapeConfig) => void;
  /** A page that nothing was fetched for. */
  onPasted: (page: KeptPage) => void;
  /** The address that stands there at first. */
  initialUrl?: string | undefined;
  /** Larger, for an otherwise empty page. */
  isLarge?: boolean;
}

interface PasteHtmlProps {
  size: 'xs' | 'md';
  onHtml: (html: string) => void;
}

/** Takes the HTML of a page from the clipboard or a file. */
function PasteHtml({ size, onHtml }: PasteHtmlProps) {
  const [html, setHtml] = useState('');
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const open = (text: string): void => {
    onHtml(text);
    setHtml('');
    close();
  };
  return (
    <Popover opened={isOpen} onClose={close} width={360} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" size={size} onClick={toggle}>
          Paste HTML
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="stack">
          <Textarea
            label="HTML of a page"
            description="Free: nothing is fetched."
            {...textInput(html, setHtml)}
            rows={8}
            className="mono"
            data-autofocus
          />
          <div className="row">
            <Button disabled={html.trim() === ''} onClick={() => open(html)}>
              Open it
            </Button>
            <FileButton accept=".html,.htm,text/html" onChange={(file) => void file?.text().then(open)}>
              {(props) => (
                <Button variant="default" {...props}>
                  Choose a file
                </Button>
              )}
            </FileButton>
          </div>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Opens a page by its address, or from pasted HTML. */
export function OpenPage({
  fetching,
  config,
  onConfig,
  onPasted,
  initialUrl = '',
  isLarge = false,
}: OpenPageProps) {
  const [url, setUrl] = useState(initialUrl);
  const [isShown, { toggle }] = useDisclosure(false);
  const isEmpty = url.trim() === '';
  const size = isLarge ? 'md' : 'xs';
  return (
    <div className={`stack ${styles.open}`}>
      <Form className="row wrap" onSubmit={() => !isEmpty && fetching.mutate({ url, config })}>
        <TextInput
          size={size}
          aria-label="Address of a page"
          placeholder="Paste a link to a page"
          {...textInput(url, setUrl)}
          className={`grow ${styles.address}`}
          type="text"
          inputMode="url"
          data-search
        />
        <Button type="submit" size={size} loading={fetching.isPending} disabled={isEmpty}>
          Open for {priceWords(config)}
        </Button>
        <PasteHtml
          size={size}
          onHtml={(html) => onPasted(createPage({ html, url: isEmpty ? '' : completeUrl(url) }))}
        />
      </Form>
      <div className="row wrap">
        <BrowserBox config={config} onChange={onConfig} />
        <Button variant="subtle" color="gray" size="compact-xs" aria-expanded={isShown} onClick={toggle}>
          More settings
        </Button>
        <span className="soft small">{fetchWords(config)}</span>
      </div>
      {isShown && <FetchSettings config={config} onChange={onConfig} />}
      <FetchFailure fetching={fetching} />
    </div>
  );
}
