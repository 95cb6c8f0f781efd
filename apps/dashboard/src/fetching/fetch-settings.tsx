import { Checkbox, Textarea, TextInput } from '@mantine/core';
import type { ScrapeConfig } from '@gleaner/client';
import { readProxy, usesBrowser, type Escalation, type ProxyTier } from '@gleaner/contracts/values';
import { useState } from 'react';
import { Choice, textInput, tickBox, withMember } from '../parts/forms.tsx';
import { ActionsList } from './actions-list.tsx';
import { priceWords } from './words.ts';

/** The tiers of proxies as people read them. */
const PROXY_WORDS = {
  default: 'Default',
  highquality: 'High quality',
  premium: 'Premium',
  hardcore: 'Hardcore (always a browser)',
} satisfies Record<ProxyTier, string>;

/** What pages may take that a cheaper way doesn't give. */
const ESCALATION_WORDS = {
  none: 'Nothing: they fail',
  browser: 'A browser',
  proxy: 'A better proxy',
  both: 'A browser, then better proxies',
} satisfies Record<Escalation | 'none', string>;

interface FetchSettingsProps {
  config: ScrapeConfig;
  onChange: (config: ScrapeConfig) => void;
  /** What the service refused, by the name of the setting. */
  faultOf?: (setting: keyof ScrapeConfig) => string | undefined;
  /** Crawls have a rule of their own for robots.txt. */
  withRobots?: boolean;
}

interface NumberFieldProps {
  label: string;
  error: string | undefined;
  placeholder?: string;
  min: number;
  max: number;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

/** A number, or nothing. Mantine's own field would bring a formatter of 9 KB to the studio. */
function NumberField({ value, onChange, ...field }: NumberFieldProps) {
  return (
    <TextInput
      {...field}
      type="number"
      w={140}
      {...textInput(value?.toString() ?? '', (text) => onChange(text === '' ? undefined : Number(text)))}
    />
  );
}

interface PairsFieldProps {
  label: string;
  placeholder: string;
  error: string | undefined;
  value: Readonly<Record<string, string>> | undefined;
  onChange: (pairs: Record<string, string> | undefined) => void;
}

function readPairs(text: string): Record<string, string> | undefined {
  const pairs = [...text.matchAll(/^\s*([^\s:]+)\s*:(.*)$/gm)];
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.trim()]));
}

/** How fields read and write settings. */
function bindSettings({ config, onChange, faultOf }: FetchSettingsProps) {
  const set = <K extends keyof ScrapeConfig>(key: K, value: ScrapeConfig[K] | undefined): void =>
    onChange(withMember(config, key, value));
  /** The members of a field for one setting. */
  const bind = <K extends keyof ScrapeConfig>(key: K) => ({
    error: faultOf?.(key),
    value: config[key],
    onChange: (value: ScrapeConfig[K] | undefined) => set(key, value),
  });
  return { set, bind };
}

/** Names and values, one pair a line. */
function PairsField({ label, placeholder, error, value = {}, onChange }: PairsFieldProps) {
  const [text, setText] = useState(() =>
    Object.entries(value)
      .map(([name, content]) => `${name}: ${content}`)
      .join('\n'),
  );
  return (
    <Textarea
      label={label}
      placeholder={placeholder}
      error={error}
      classNames={{ input: 'mono' }}
      autosize
      minRows={1}
      maxRows={6}
      {...textInput(text, (typed) => {
        setText(typed);
        onChange(readPairs(typed));
      })}
    />
  );
}

/** Runs the scripts of pages first. */
export function BrowserBox({ config, onChange }: FetchSettingsProps) {
  return (
    <Checkbox
      label="Run the page’s scripts in a browser first"
      disabled={readProxy(config.proxy).tier === 'hardcore'}
      {...tickBox(usesBrowser(config), (isTicked) =>
        onChange(withMember(config, 'useBrowser', isTicked || undefined)),
      )}
    />
  );
}

/** What is done with a page in a browser. */
function PageInBrowser({ config, onChange, faultOf }: FetchSettingsProps) {
  const { set, bind } = bindSettings({ config, onChange, faultOf });
  return (
    <>
      <div className="row wrap bottom">
        <TextInput
          label="Wait for an element"
          placeholder=".price"
          className="grow"
          classNames={{ input: 'mono' }}
          error={faultOf?.('waitForBrowser')}
          {...textInput(config.waitForBrowser ?? '', (text) => set('waitForBrowser', text || undefined))}
        />
        <NumberField label="Wait (seconds)" min={0} max={60} {...bind('waitSeconds')} />
      </div>
      <ActionsList
        error={faultOf?.('actions')}
        actions={config.actions ?? []}
        onChange={(actions) => set('actions', actions.length === 0 ? undefined : actions)}
      />
      <Checkbox
        label="Load pictures, media and fonts too"
        {...tickBox(config.blockResources === false, (isTicked) =>
          set('blockResources', isTicked ? false : undefined),
        )}
      />
      <Checkbox
        label="Read shadow roots and frames too"
        {...tickBox(config.composed !== false, (isTicked) => set('composed', isTicked ? undefined : false))}
      />
    </>
  );
}

/** By which dearer ways pages may be read, and how often their hosts are asked. */
function WaysAndPace({ config, onChange, faultOf }: FetchSettingsProps) {
  const { bind } = bindSettings({ config, onChange, faultOf });
  const { escalate = 'none' } = config;
  return (
    <>
      <div className="row wrap bottom">
        <Choice
          label="Pages that are blocked, or that scripts fill, take"
          words={ESCALATION_WORDS}
          error={faultOf?.('escalate')}
          value={escalate}
          className="grow"
          onChange={(chosen) => {
            const { maxPrice: _, ...rest } = config;
            onChange(withMember(rest, 'escalate', chosen === 'none' ? undefined : chosen));
          }}
        />
        {escalate !== 'none' && (
          <NumberField label="Most credits a page" min={1} max={1_000} {...bind('maxPrice')} />
        )}
      </div>
      {escalate !== 'none' && (
        <p className="soft small">A page costs from {priceWords(config)}, by the way that gave its data.</p>
      )}
      <div className="row wrap bottom">
        <NumberField label="Seconds between pages" min={0} max={600} {...bind('hostDelaySeconds')} />
        <NumberField label="Pages at once" min={1} max={1_000} {...bind('hostConcurrency')} />
        <span className="soft small">of one host, in runs</span>
      </div>
    </>
  );
}

/** How pages are fetched, beside `BrowserBox`. */
export function FetchSettings({ config, onChange, faultOf, withRobots = true }: FetchSettingsProps) {
  const { set, bind } = bindSettings({ config, onChange, faultOf });
  return (
    <div className="stack">
      {usesBrowser(config) && <PageInBrowser config={config} onChange={onChange} faultOf={faultOf} />}
      <div className="row wrap bottom">
        <Choice
          label="Proxy"
          words={PROXY_WORDS}
          error={faultOf?.('proxy')}
          value={readProxy(config.proxy).tier}
          className="grow"
          onChange={(tier) => set('proxy', tier === 'default' ? undefined : tier)}
        />
        <TextInput
          label="Country"
          placeholder="de"
          w={80}
          maxLength={2}
          error={faultOf?.('country')}
          {...textInput(config.country ?? '', (text) => set('country', text.trim() || undefined))}
        />
      </div>
      <WaysAndPace config={config} onChange={onChange} faultOf={faultOf} />
      <PairsField label="Headers" placeholder="Accept-Language: de" {...bind('headers')} />
      <PairsField label="Cookies" placeholder="consent: yes" {...bind('cookies')} />
      <div className="row wrap bottom">
        <NumberField
          label="Time limit (seconds)"
          placeholder="60"
          min={1}
          max={120}
          {...bind('timeoutSeconds')}
        />
        <NumberField label="Further attempts" placeholder="2" min={0} max={5} {...bind('retries')} />
      </div>
      {withRobots && (
        <Checkbox
          label="Follow robots.txt"
          {...tickBox(config.respectRobots === true, (isTicked) =>
            set('respectRobots', isTicked || undefined),
          )}
        />
      )}
    </div>
  );
}
