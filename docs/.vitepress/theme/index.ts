// The theme without fonts uses those of the system, and so loads none.
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import Playground from './Playground.vue';
import { rememberTabs } from './tabs.ts';
import './site.css';
import './tabs.css';
import './front.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Playground', Playground);
  },
  setup: rememberTabs,
} satisfies Theme;
