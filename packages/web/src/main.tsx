import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/session.css';
import './style/now.css';
import './style/timeline.css';
import './style/pages.css';
import { render } from 'preact';
import { App } from './app.js';

const place = document.getElementById('app');
if (place) render(<App />, place);
