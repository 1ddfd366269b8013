import type { MarkdownRenderer } from 'vitepress';
import { installTabs } from './package-managers.ts';
import { FIRST_FRAMEWORK, TABS_LINK, tabsAt } from './tabs.ts';

type State = Parameters<Parameters<MarkdownRenderer['core']['ruler']['push']>[1]>[0];
type Token = State['tokens'][number];

interface Panel {
  readonly label: string;
  readonly tokens: readonly Token[];
}

/**
 * A plugin of markdown-it. Blocks of code, followed by a paragraph that is nothing but a link to the code for other
 * frameworks, become tabs. So do commands that install packages: a tab for each package manager.
 */
export function tabGroups(md: MarkdownRenderer): void {
  md.core.ruler.push('tab-groups', (state) => {
    const tokens: Token[] = [];
    for (let index = 0; index < state.tokens.length; index++) {
      const link = tabsLinkAt(state.tokens, index);
      if (link === undefined) {
        tokens.push(state.tokens[index] as Token);
        continue;
      }
      const first = takeFences(tokens);
      if (first.length === 0) throw new Error(`No code is before the link to ${link}.`);
      tokens.push(...frameworkGroup(md, state, first, link));
      index += PARAGRAPH - 1;
    }
    state.tokens = tokens.flatMap((token) => installGroup(state, token));
  });
}

/** The number of tokens of a paragraph: open, inline, close. */
const PARAGRAPH = 3;

function tabsLinkAt(tokens: readonly Token[], index: number): string | undefined {
  if (tokens[index]?.type !== 'paragraph_open') return undefined;
  const [link, text, end, ...others] = tokens[index + 1]?.children ?? [];
  const href = link?.type === 'link_open' ? (link.attrGet('href') ?? '') : '';
  const isAlone = text?.type === 'text' && end?.type === 'link_close' && others.length === 0;
  return isAlone && TABS_LINK.test(href) ? href : undefined;
}

function takeFences(tokens: Token[]): Token[] {
  const start = tokens.findLastIndex(({ type }) => type !== 'fence') + 1;
  return tokens.splice(start);
}

function frameworkGroup(
  md: MarkdownRenderer,
  state: State,
  first: readonly Token[],
  link: string,
): Token[] {
  const others = tabsAt(link).map(({ label, text }) => ({
    label,
    tokens: blocksOf(md, text, state),
  }));
  return groupOf(state, 'framework', [{ label: FIRST_FRAMEWORK, tokens: first }, ...others]);
}

/** Only blocks: the rules of this plugin and the ones after it see them as a part of the page. */
function blocksOf(md: MarkdownRenderer, text: string, state: State): Token[] {
  const tokens: Token[] = [];
  md.block.parse(text, md, state.env, tokens);
  return tokens;
}

function installGroup(state: State, token: Token): Token[] {
  const tabs = token.type === 'fence' && token.info === 'sh' ? installTabs(token.content) : [];
  if (tabs.length === 0) return [token];
  const panels = tabs.map(({ label, text }) => {
    const fence = new state.Token('fence', 'code', 0);
    Object.assign(fence, { info: token.info, markup: token.markup, content: text, block: true });
    return { label, tokens: [fence] };
  });
  return groupOf(state, 'package manager', panels);
}

/** Radio buttons and panels: the style sheet shows the panel of the checked one. */
function groupOf(state: State, kind: string, panels: readonly Panel[]): Token[] {
  const { env } = state;
  env.tabGroups = (env.tabGroups ?? 0) + 1;
  const radios = panels.map(({ label }, index) => {
    const checked = index === 0 ? ' checked' : '';
    const name = `tabs-${env.tabGroups}`;
    return `<label><input type="radio" name="${name}" value="${label}"${checked}>${label}</label>\n`;
  });
  const bar = `<div class="tabs-bar" role="radiogroup" aria-label="${kind}">\n${radios.join('')}</div>\n`;
  return [
    html(state, `<div class="tabs" data-kind="${kind}">\n${bar}`),
    ...panels.flatMap(({ tokens }) => [
      html(state, '<div class="tabs-panel">\n'),
      ...tokens,
      html(state, '</div>\n'),
    ]),
    html(state, '</div>\n'),
  ];
}

function html(state: State, content: string): Token {
  const token = new state.Token('html_block', '', 0);
  token.content = content;
  return token;
}
