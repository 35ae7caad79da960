// Every form of a command in real shells; a test run takes a part of them.
process.env.FORMS_IN_SHELL = '600';
await import('../src/hooks/hooks-approval/shell-forms.test.js');
