import type { Draw } from './random-values.ts';

/** One fact on a page. `values` is empty where the page has none. */
export interface Fact {
  readonly label: string;
  readonly lead: string;
  readonly values: readonly string[];
}

/** Names of classes on one site. */
export type Naming = (role: string) => string;

/** Facts in the mark-up of one block. */
export type Block = (facts: readonly Fact[], site: Style, draw: Draw) => string;

export interface Style {
  readonly naming: Naming;
  /** Follows each label: a colon, or nothing. */
  readonly colon: string;
  readonly join: string;
  readonly isLinked: boolean;
  /** How a row without a value is written. */
  readonly empty: 'left out' | 'blank' | 'dash';
  readonly seed: number;
}

/** Text as mark-up. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function valueHtml({ values }: Fact, { join, isLinked, empty }: Style): string {
  if (values.length === 0) return empty === 'dash' ? '--' : '';
  const parts = values.map((value) =>
    isLinked ? `<a href="/q?s=${encodeURIComponent(value)}">${escape(value)}</a>` : escape(value),
  );
  return parts.join(isLinked ? join : ', ');
}

function rows(facts: readonly Fact[], { empty }: Style): readonly Fact[] {
  return facts.filter(({ values }) => values.length > 0 || empty !== 'left out');
}

function present(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter(({ values }) => values.length > 0);
}

/** Blocks where each fact has its name. */
export const LABELLED: readonly Block[] = [
  (facts, site) =>
    `<table${site.naming('facts')}>${rows(facts, site)
      .map((fact) => `<tr><th>${fact.label}${site.colon}</th><td>${valueHtml(fact, site)}</td></tr>`)
      .join('')}</table>`,
  (facts, site) =>
    `<table border="0" cellpadding="2">${rows(facts, site)
      .map(
        (fact) =>
          `<tr><td width="30%"${site.naming('label')}><b>${fact.label}${site.colon}</b></td><td${site.naming('value')}>${valueHtml(fact, site)}</td></tr>`,
      )
      .join('')}</table>`,
  (facts, site) =>
    `<table>${rows(facts, site)
      .map(
        (fact) =>
          `<tr><td>${fact.label}${site.colon}</td><td>&nbsp;</td><td><font size="2">${valueHtml(fact, site)}</font></td></tr>`,
      )
      .join('')}</table>`,
  (facts, site) =>
    `<dl${site.naming('list')}>${rows(facts, site)
      .map((fact) => `<dt>${fact.label}${site.colon}</dt><dd>${valueHtml(fact, site)}</dd>`)
      .join('')}</dl>`,
  (facts, site) =>
    `<ul${site.naming('details')}>${rows(facts, site)
      .map((fact) => `<li><strong>${fact.label}${site.colon}</strong> ${valueHtml(fact, site)}</li>`)
      .join('')}</ul>`,
  (facts, site) =>
    `<p${site.naming('info')}>${rows(facts, site)
      .map((fact) => `<b>${fact.label}</b>${site.colon} ${valueHtml(fact, site)}<br>`)
      .join('')}</p>`,
  (facts, site) =>
    rows(facts, site)
      .map(
        (fact) =>
          `<div${site.naming('row')}><span${site.naming('label')}>${fact.label}${site.colon}</span><span${site.naming('value')}>${valueHtml(fact, site)}</span></div>`,
      )
      .join(''),
  (facts, site) =>
    rows(facts, site)
      .map(
        (fact) =>
          `<div${site.naming('item')}><label>${fact.label}${site.colon}</label> <div><div>${valueHtml(fact, site)}</div></div></div>`,
      )
      .join(''),
  (facts, site) =>
    rows(facts, site)
      .map((fact) => `<h4>${fact.label}${site.colon}</h4><p>${valueHtml(fact, site)}</p>`)
      .join(''),
  (facts, site) =>
    `<ul>${rows(facts, site)
      .map((fact) => `<li>${fact.label}: ${valueHtml(fact, site)}</li>`)
      .join('')}</ul>`,
  (facts, site) =>
    `<div${site.naming('meta')}>${rows(facts, site)
      .map((fact) => `${fact.label}: ${valueHtml(fact, site)}`)
      .join(' | ')}</div>`,
  (facts, site) =>
    `<div>${rows(facts, site)
      .map((fact) => `${fact.label}: ${valueHtml(fact, site)}`)
      .join('<br>')}</div>`,
  (facts, site) =>
    `<table${site.naming('grid')}><tr>${facts.map(({ label }) => `<td><b>${label}</b></td>`).join('')}</tr><tr>${facts.map((fact) => `<td>${valueHtml(fact, site)}</td>`).join('')}</tr></table>`,
  (facts, site) =>
    `<table><tr>${rows(facts, site)
      .map(
        (fact, index) =>
          `${index > 0 && index % 2 === 0 ? '</tr><tr>' : ''}<td>${fact.label}${site.colon}</td><td>${valueHtml(fact, site)}</td>`,
      )
      .join('')}</tr></table>`,
  (facts, site) =>
    rows(facts, site)
      .map(
        (fact) =>
          `<div${site.naming('cell')}><div${site.naming('value')}>${valueHtml(fact, site)}</div><div${site.naming('label')}>${fact.label}</div></div>`,
      )
      .join(''),
];

/** Blocks where facts stand by themselves. */
export const BARE: readonly Block[] = [
  (facts, site) =>
    present(facts)
      .map((fact) => `<div${site.naming(fact.label)}>${valueHtml(fact, site)}</div>`)
      .join(''),
  (facts, site) =>
    `<p>${present(facts)
      .map((fact) => `<span${site.naming(fact.label)}>${valueHtml(fact, site)}</span>`)
      .join(' - ')}</p>`,
  (facts, site) =>
    `<ul${site.naming('summary')}>${present(facts)
      .map((fact) => `<li>${valueHtml(fact, site)}</li>`)
      .join('')}</ul>`,
  (facts, site) =>
    `<font size="2">${present(facts)
      .map((fact) => valueHtml(fact, site))
      .join('<br>')}</font>`,
  (facts, site) =>
    `<p${site.naming('lead')}>${present(facts)
      .map((fact) => `${fact.lead} ${valueHtml(fact, site)}`)
      .join(' ')}</p>`,
  (facts, site) =>
    present(facts)
      .map((fact) => `<h3${site.naming(fact.label)}>${fact.lead} <b>${valueHtml(fact, site)}</b></h3>`)
      .join(''),
  (facts, site) =>
    `<div>${present(facts)
      .map((fact) => `<img src="/i/${fact.label.length}.gif" alt=""> <span>${valueHtml(fact, site)}</span>`)
      .join('<br>')}</div>`,
];
