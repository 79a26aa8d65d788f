use std::time::Duration;

use afterword_domain::cost::time;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn setup() -> GuardSetup {
    GuardSetup {
        claude_folder: "/home/dev/.claude".into(),
        user_home: "/home/dev".into(),
        project_root: Some("/home/dev/project".into()),
        cwd: Some("/home/dev/project".into()),
        extra_globs: Vec::new(),
    }
}

fn denied(tool: &str, input: &Value) -> bool {
    check(&setup(), tool, input).is_some()
}

#[test]
fn files_of_memory_are_refused_and_others_pass() {
    let memory = "/home/dev/.claude/projects/-home-dev-project/memory";
    for path in [
        &format!("{memory}/MEMORY.md"),
        &format!("{memory}/user_role.md"),
        &format!("{memory}/topics/deep/x.md"),
        &format!("{memory}/memory.md"),
        &format!("{memory}/../memory/x.md"),
        "/home/dev/project/MEMORY.md",
        "/tmp/MEMORY.md",
        "MEMORY.md",
        "./docs/../MEMORY.md",
        "/home/dev/.claude/agent-memory/reviewer/MEMORY.md",
        "/home/dev/.claude/agent-memory/reviewer/topic.md",
        "/home/dev/project/.claude/agent-memory/reviewer/topic.md",
        "/home/dev/project/.claude/agent-memory-local/reviewer/topic.md",
        "/home/dev/project/.claude/memory/note.md",
        ".claude/memory/note.md",
        "/home/dev/.claude/memory/2026/11/30.md",
        "/home/dev/project/.claude/memory.md",
        "C:\\Users\\dev\\.claude\\projects\\C--project\\memory\\fact.md",
        "C:\\project\\MEMORY.md",
        "~/.claude/memory/a.md",
        "file:///home/dev/.claude/memory/a.md",
    ] {
        for tool in ["Write", "Edit", "MultiEdit", "SearchReplace"] {
            assert!(denied(tool, &json!({"file_path": path})), "{tool} {path}");
            // Reading is never refused.
            assert!(!denied("Read", &json!({"file_path": path})), "Read {path}");
        }
    }
    for path in [
        "/home/dev/project/docs/memory.md",
        "/home/dev/project/memory.md",
        "/home/dev/project/memory/x.md",
        "/home/dev/project/src/memory/mod.rs",
        "/home/dev/project/docs/Memory.md",
        "/home/dev/project/MEMORY.md.txt",
        "/home/dev/project/MY_MEMORY.md",
        "/home/dev/project/CLAUDE.md",
        "/home/dev/project/.claude/CLAUDE.md",
        "/home/dev/.claude/CLAUDE.md",
        "/home/dev/.claude/settings.json",
        "/home/dev/.claude/rules/memory/style.md",
        "/home/dev/.claude/projects/-home-dev-project/8e9784e4.jsonl",
        "/home/dev/.claude/projects/memory/8e9784e4.jsonl",
        "/home/dev/.claude/agent-memory-notes.md",
        "/home/dev/.claudex/memory/x.md",
        "/home/dev/project/.claude/memory/../commands/x.md",
        "",
        "/",
    ] {
        for tool in ["Write", "Edit", "MultiEdit"] {
            assert!(!denied(tool, &json!({"file_path": path})), "{tool} {path}");
        }
    }
}

#[test]
fn every_kind_of_tool_is_understood() {
    let path = "/home/dev/.claude/memory/a.md";
    let update = "*** Begin Patch\n*** Update File: .claude/memory/a.md\n@@\n*** End Patch";
    for (tool, input) in [
        ("NotebookEdit", json!({"notebook_path": "/home/dev/.claude/memory/a.ipynb"})),
        ("write_file", json!({"absolute_path": path})),
        ("FileSave", json!({"path": path})),
        ("replace", json!({"file_path": path})),
        ("apply_patch", json!({"input": update})),
        ("str_replace_based_edit_tool", json!({"command": "create", "path": path})),
        ("multi_edit", json!({"edits": [{"filePath": path}]})),
        ("mcp__filesystem__write_file", json!({"path": path, "content": "x"})),
        ("mcp__filesystem__edit_file", json!({"path": path})),
        ("mcp__fs__createFile", json!({"file_path": path})),
        ("mcp__filesystem__move_file", json!({"source": path, "destination": "/tmp/x"})),
        ("mcp__filesystem__move_file", json!({"source": "/tmp/x", "destination": path})),
        ("mcp__fs__append_to_file", json!({"path": "MEMORY.md"})),
        ("mcp__fs__copy_file", json!({"source": "/tmp/x", "destination": path})),
        ("mcp__sh__run_command", json!({"command": "echo x > MEMORY.md"})),
        ("Monitor", json!({"command": "tail -f log > MEMORY.md"})),
        ("shell", json!({"command": ["bash", "-lc", "echo x > MEMORY.md"]})),
        ("shell", json!({"command": ["tee", "a.md"], "workdir": "/home/dev/.claude/memory"})),
    ] {
        assert!(denied(tool, &input), "{tool} {input}");
    }
    for (tool, input) in [
        ("Grep", json!({"pattern": "x", "path": path})),
        ("Glob", json!({"path": path})),
        ("WebFetch", json!({"url": "https://h/MEMORY.md"})),
        ("Write", json!({"content": "MEMORY.md", "file_path": "/home/dev/project/a.md"})),
        ("Write", json!({})),
        ("Write", json!(null)),
        ("Write", json!([1])),
        ("Write", json!({"file_path": 5})),
        ("Bash", json!({"command": 5})),
        ("str_replace_based_edit_tool", json!({"command": "view", "path": path})),
        ("mcp__filesystem__read_file", json!({"path": path})),
        ("mcp__filesystem__list_directory", json!({"path": path})),
        ("mcp__filesystem__copy_file", json!({"source": path, "destination": "/tmp/x"})),
        ("mcp__memory__create_entities", json!({"entities": [{"name": "MEMORY.md"}]})),
        ("mcp__afterword__remember", json!({"text": "see MEMORY.md"})),
    ] {
        assert!(!denied(tool, &input), "{tool} {input}");
    }
}

#[test]
fn shell_commands_that_write_memory_are_refused() {
    for command in [
        "echo x > MEMORY.md",
        "echo x >> MEMORY.md",
        "echo x >| MEMORY.md",
        "echo x &> MEMORY.md",
        "echo x &>> ./MEMORY.md",
        "echo x >& MEMORY.md",
        "make 2> MEMORY.md",
        "echo x>MEMORY.md",
        "> MEMORY.md",
        "echo x > \"MEMORY.md\"",
        "echo x > 'MEMORY'.md",
        "cat > MEMORY.md <<'EOF'\nhello\nEOF",
        "cat <<EOF > ~/.claude/memory/a.md\nx\nEOF\n",
        "cat <<-EOF | tee MEMORY.md\n\tx\n\tEOF",
        "echo x | tee -a MEMORY.md",
        "echo x | sudo -u dev tee -a MEMORY.md > /dev/null",
        "cp /tmp/x MEMORY.md",
        "cp -r /tmp/x ~/.claude/projects/-home-dev-project/memory/",
        "cp -t ~/.claude/memory /tmp/x",
        "mv notes.md ~/.claude/agent-memory/reviewer/notes.md",
        "mv MEMORY.md docs/old.md",
        "install -m 644 x MEMORY.md",
        "ln -s /tmp/x MEMORY.md",
        "rsync -a x/ ~/.claude/memory/",
        "dd if=/tmp/x of=MEMORY.md",
        "sed -i 's/a/b/' MEMORY.md",
        "sed -i.bak -e 's/a/b/' MEMORY.md",
        "sed -E --in-place 's/a/b/' MEMORY.md",
        "perl -pi -e 's/a/b/' MEMORY.md",
        "perl -p -i.bak -e 's/a/b/' MEMORY.md",
        "touch MEMORY.md",
        "mkdir -p ~/.claude/projects/-home-dev-project/memory",
        "rm -rf ~/.claude/projects/-home-dev-project/memory",
        "rm -f ~/.claude/projects/*/memory/*.md",
        "truncate -s 0 MEMORY.md",
        "cd ~/.claude/projects/-home-dev-project/memory && echo x > fact.md",
        "cd ~/.claude/projects/-home-dev-project && cd memory && touch fact.md",
        "cd ~/.claude && (cd projects/x/memory; touch fact.md)",
        "pushd .claude/memory; echo x > a.md",
        "echo x > $HOME/.claude/memory/a.md",
        "echo x > \"${HOME}/.claude/memory/a.md\"",
        "echo x > \"$CLAUDE_CONFIG_DIR/projects/p/memory/a.md\"",
        "echo x > \"${CLAUDE_PROJECT_DIR:-.}/.claude/memory/a.md\"",
        "D=~/.claude/memory; echo x > $D/a.md",
        "D=~/.claude/memory && touch \"$D\"/a.md",
        "export D=$HOME/.claude/memory\ntouch $D/a.md",
        "for f in ~/.claude/memory/*.md; do rm $f; done",
        "if true; then echo x > MEMORY.md; fi",
        "true || { echo x; } > MEMORY.md",
        "bash -c 'echo x > MEMORY.md'",
        "sh -lc \"cd ~/.claude/memory && touch a.md\"",
        "bash <<'EOF'\necho x > MEMORY.md\nEOF",
        "eval \"echo x > MEMORY.md\"",
        "echo $(echo x > MEMORY.md)",
        "echo \"`touch MEMORY.md`\"",
        "diff <(touch MEMORY.md) x",
        "echo x | tee >(cat > MEMORY.md)",
        "env A=1 nohup timeout 5 tee MEMORY.md",
        "A=1 tee MEMORY.md",
        "python3 -c \"open('MEMORY.md','w').write('x')\"",
        "python - <<'EOF'\nfrom pathlib import Path\nPath('~/.claude/memory/a.md').write_text('x')\nEOF",
        "node -e \"require('fs').writeFileSync('MEMORY.md','x')\"",
        "ruby -e 'File.write(\"MEMORY.md\", 1)'",
        "awk '{print > \"MEMORY.md\"}' x",
        "find ~/.claude/projects/p/memory -name '*.md' -delete",
        "find . -name MEMORY.md -exec rm {} ;",
        "git checkout -- MEMORY.md",
        "git -C ~/.claude/memory restore a.md",
        "git apply <<'EOF'\n--- a/MEMORY.md\n+++ b/MEMORY.md\nEOF",
        "patch MEMORY.md < x.patch",
        "rm -rf ~/.claude/projects/-home-dev-project",
        "rm -rf ~/.claude/projects/*",
        "rm -r ~/.claude",
        "rm -rf ~/.claude/*",
        "mv ~/.claude/projects/x /tmp/old",
        "find ~/.claude/projects/x -delete",
        "cd ~/.claude/memory && ls *.md | xargs rm",
        "cd ~/.claude/memory; ls | xargs -I{} sudo rm -f {}",
        "ls ~/.claude/memory/*.md | xargs rm -f",
        "grep -l x MEMORY.md | xargs rm",
        "python3 -c \"from pathlib import Path; (Path.home() / '.claude' / 'memory' / 'a.md').write_text('x')\"",
        "python3 -c \"import os; open(os.path.join(os.path.expanduser('~'), '.claude', 'memory', 'a.md'), 'a').write('x')\"",
        "python3 - <<'EOF'\n# don't stop here\np = Path('.claude/memory')\nfor n in names:\n    (p / 'a.md').unlink()\nEOF",
        "python3 -c \"p='MEMORY.md'; open(p, mode='w')\"",
        "python3 -c \"open('out.txt').read(); open('MEMORY.md', 'r+')\"",
        "python3 -c \"import os; os.open('MEMORY.md', os.O_WRONLY | os.O_CREAT)\"",
        "python3 -c \"import shutil; shutil.copy('a.txt', 'MEMORY.md')\"",
        "python3 -c \"import shutil; shutil.rmtree('/home/dev/.claude/projects/x')\"",
        "python3 -c \"import os; os.system('rm MEMORY.md')\"",
        "python3 -c \"import subprocess; subprocess.run(['rm', 'MEMORY.md'])\"",
        "node -e \"fs.writeFileSync(path.join(os.homedir(), '.claude', 'memory', 'a.md'), 'x')\"",
        "node -e \"const p='MEMORY.md'; fs.appendFileSync(p, 'x')\"",
        "node -e 'fs.writeFileSync(`${process.env.HOME}/.claude/memory/a.md`, 1)'",
        "node -e \"fs.promises.rm('MEMORY.md')\"",
        "node -e \"require('child_process').execSync('echo x > MEMORY.md')\"",
        "perl -e 'open(my $f, \">\", \"MEMORY.md\")'",
        "perl -e 'open F, \">>MEMORY.md\"; print F 1'",
        "perl -e 'unlink \"MEMORY.md\"'",
        "ruby -e 'File.open(\"MEMORY.md\", \"w\") { |f| f.puts 1 }'",
        "ruby -e 'File.write \"MEMORY.md\", 1'",
        "php -r 'file_put_contents(\"MEMORY.md\", 1);'",
        "awk -v f=MEMORY.md '{ print > f }' x",
        "awk '{ print | \"tee MEMORY.md\" }' x",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: MEMORY.md\n*** End Patch\nEOF",
        "curl -s https://h/x -o MEMORY.md",
        "curl -O https://h/MEMORY.md",
        "wget https://h/MEMORY.md?x",
        "tar xf a.tgz -C ~/.claude/memory",
        "cd ~/.claude/memory && tar xf a.tgz",
        "sort x -o MEMORY.md",
        "vim -c 'wq' MEMORY.md",
        "echo a # comment\necho x > MEMORY.md",
        "echo x > \\\n  MEMORY.md",
        "\\rm MEMORY.md",
        "/bin/rm MEMORY.md",
    ] {
        assert!(denied("Bash", &json!({"command": command})), "{command}");
    }
}

#[test]
fn shell_commands_that_only_read_or_write_elsewhere_pass() {
    for command in [
        "cat MEMORY.md",
        "cat MEMORY.md > /tmp/x",
        "cat < MEMORY.md | tee /tmp/x",
        "grep -rn fact ~/.claude/projects/*/memory/",
        "grep -o x MEMORY.md 2>/dev/null",
        "ls -la ~/.claude/memory && head -5 MEMORY.md",
        "cd ~/.claude/memory && cat MEMORY.md | wc -l",
        "cd ~/.claude/memory && cd - && touch x",
        "(cd ~/.claude/memory && ls); touch x",
        "echo \"$(cd ~/.claude/memory && ls)\" > x",
        "echo \"see MEMORY.md\"",
        "echo 'x > MEMORY.md'",
        "echo \"a > MEMORY.md\" > notes.md",
        "echo x # > MEMORY.md",
        "cp MEMORY.md /tmp/backup.md",
        "cp -r ~/.claude/memory /tmp/backup",
        "tar czf /tmp/b.tgz ~/.claude/memory",
        "tar -tf ~/.claude/memory/a.tar",
        "diff MEMORY.md docs/memory.md",
        "git add MEMORY.md && git commit -m 'MEMORY.md'",
        "git diff MEMORY.md",
        "git log -- MEMORY.md",
        "sed -n 1,5p MEMORY.md",
        "sed -i 's/x/MEMORY.md/' README.md",
        "sed -i -e 's/x/MEMORY.md/' README.md",
        "awk '$1 > 5' MEMORY.md",
        "perl -ne 'print if /x/' MEMORY.md",
        "perl -Mstrict -ne 'print' MEMORY.md",
        "python3 -c \"print(open('MEMORY.md').read())\"",
        "python3 -c \"import sys; sys.stdout.write(open('MEMORY.md').read())\"",
        "python3 -m json.tool MEMORY.md",
        "node -e \"console.log(readFileSync('MEMORY.md','utf8').replace('a','b'))\"",
        "node -e \"fs.writeFileSync('out.md', fs.readFileSync('MEMORY.md'))\"",
        "node -e \"fs.copyFileSync('MEMORY.md', 'out.md')\"",
        "awk '{ if ($1 > 5) print \"MEMORY.md\" }' f",
        "awk '{ print \"MEMORY.md\" > \"out\" }' f",
        "python3 -c \"data = open('MEMORY.md').read(); open('out.txt', 'w').write(data)\"",
        "python3 -c \"open('out.txt', 'w').write(open('MEMORY.md').read())\"",
        "python3 -c \"open('out.txt', 'w').write('see MEMORY.md')\"",
        "python3 -c \"import shutil; shutil.copy('MEMORY.md', 'out.txt')\"",
        "python3 -c \"names.remove('MEMORY.md'); print(names)\"",
        "python3 - <<'EOF'\nfrom pathlib import Path\ntext = Path('MEMORY.md').read_text()\nPath('out.md').write_text(text.replace('a', 'w'))\nEOF",
        "ruby -e 'puts File.read(\"MEMORY.md\").gsub(\"a\", \"b\")'",
        "perl -e 'open(F, \"<\", \"MEMORY.md\"); print <F>'",
        "rm -rf ~/.claude/projects/x/8e9784e4.jsonl",
        "rm -f ~/.claude/projects/x/*.jsonl",
        "rm -rf .claude/commands",
        "rm -rf ./build ../other",
        "mv notes.md ~/.claude/",
        "find ~/.claude/projects -name '*.jsonl' -delete",
        "ls *.o | xargs rm",
        "cat MEMORY.md; ls *.o | xargs rm",
        "cat > docs/memory.md <<'EOF'\necho x > MEMORY.md\nrm MEMORY.md\nEOF",
        "cat <<EOF\n> MEMORY.md\nEOF\necho done > x",
        "echo x > docs/memory.md",
        "mkdir -p src/memory && touch src/memory/mod.rs",
        "echo x >> CLAUDE.md",
        "rm -rf target",
        "find . -name MEMORY.md",
        "find ~/.claude/memory -name '*.md' -exec cat {} +",
        "wc -l MEMORY.md; echo done 2>&1",
        "test -f MEMORY.md && echo yes > found",
        "curl -XGET https://h/x -o out.md",
        "stat -c %s ~/.claude/projects/p/memory/MEMORY.md",
        "bash -c 'cat MEMORY.md'",
        "afterword remember \"MEMORY.md is not used\"",
        "D=~/.claude/memory; ls $D",
        "",
        "   \n",
        "\"",
        "$(",
        "<<",
        ">",
        "cat <<",
    ] {
        assert!(!denied("Bash", &json!({"command": command})), "{command}");
    }
}

#[test]
fn powershell_is_understood() {
    for command in [
        "Set-Content -Path $env:USERPROFILE\\.claude\\memory\\a.md -Value x",
        "'x' | Out-File -FilePath \"C:\\Users\\dev\\.claude\\memory\\a.md\"",
        "Add-Content MEMORY.md 'x'",
        "\"x\" > MEMORY.md",
        "\"x\" *>> .claude\\memory\\a.md",
        "New-Item -ItemType File -Path .claude\\memory -Name a.md",
        "Remove-Item -Recurse -Force ~\\.claude\\memory",
        "Copy-Item x.md -Destination MEMORY.md",
        "copy x.md MEMORY.md",
        "Move-Item MEMORY.md old.md",
        "cd ~\\.claude\\memory; ni a.md",
        "$d = \"~\\.claude\\memory\"; Set-Content $d\\a.md x",
        "[IO.File]::WriteAllText(\"C:\\p\\MEMORY.md\", \"x\")",
        "x | Tee-Object -FilePath MEMORY.md",
    ] {
        assert!(denied("PowerShell", &json!({"command": command})), "{command}");
    }
    for command in [
        "Get-Content MEMORY.md",
        "Get-Content MEMORY.md | Out-File C:\\tmp\\x.md",
        "Set-Content -Path x.md -Value MEMORY.md",
        "Set-Content x.md MEMORY.md",
        "Copy-Item MEMORY.md C:\\tmp\\x.md",
        "Copy-Item -Path MEMORY.md -Destination x.md",
        "Select-String -Path .claude\\memory\\*.md -Pattern x",
        "[IO.File]::ReadAllText(\"MEMORY.md\")",
        "cd .claude\\memory; dir",
    ] {
        assert!(!denied("PowerShell", &json!({"command": command})), "{command}");
    }
}

#[test]
fn moved_memory_is_found_in_every_settings_file() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let project = home.join("project");
    let claude = home.join("config");
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    std::fs::create_dir_all(&claude).unwrap();
    let setup = GuardSetup {
        claude_folder: claude.clone(),
        user_home: home.clone(),
        project_root: Some(project.clone()),
        cwd: Some(project.clone()),
        extra_globs: Vec::new(),
    };
    let write = |path: PathBuf| check(&setup, "Write", &json!({"file_path": path}));
    assert_eq!(write(home.join("notes/a.md")), None);
    assert!(write(claude.join("projects/p/memory/a.md")).is_some());
    assert_eq!(write(claude.join("projects/p/other/a.md")), None);
    let files = [
        claude.join("settings.json"),
        project.join(".claude/settings.json"),
        project.join(".claude/settings.local.json"),
    ];
    for (n, file) in files.iter().enumerate() {
        let moved = home.join(format!("notes{n}"));
        let text = format!("\u{feff}{{\"autoMemoryDirectory\": \"~/notes{n}/\"}}");
        std::fs::write(file, text).unwrap();
        assert!(write(moved.join("sub/a.md")).is_some());
        assert!(
            check(&setup, "Bash", &json!({"command": format!("touch ~/notes{n}/a")})).is_some()
        );
        assert_eq!(write(moved.join("CLAUDE.md")), None);
    }
    // Settings that would forbid all work are not followed.
    for all in ["/", "~", "~/project", "", "."] {
        std::fs::write(&files[0], json!({"autoMemoryDirectory": all}).to_string()).unwrap();
        assert_eq!(write(project.join("src/main.rs")), None, "{all}");
    }
    std::fs::write(&files[0], "{ broken").unwrap();
    assert_eq!(write(project.join("src/main.rs")), None);
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let real = home.join("dotfiles/claude");
    std::fs::create_dir_all(real.join("projects/p/memory")).unwrap();
    std::fs::create_dir_all(home.join("project")).unwrap();
    symlink(&real, home.join(".claude")).unwrap();
    symlink(real.join("projects/p/memory"), home.join("project/mem")).unwrap();
    let setup = GuardSetup {
        claude_folder: home.join(".claude"),
        user_home: home.clone(),
        project_root: Some(home.join("project")),
        cwd: Some(home.join("project")),
        extra_globs: Vec::new(),
    };
    let bash = |command: &str| check(&setup, "Bash", &json!({"command": command})).is_some();
    assert!(bash("echo x > mem/new.md"));
    assert!(bash("cd mem && touch new.md"));
    assert!(bash("touch ../dotfiles/claude/projects/p/memory/new.md"));
    assert!(bash("touch ~/.claude/projects/p/memory/new.md"));
    assert!(!bash("touch ../dotfiles/claude/projects/p/new.md"));
    assert!(!bash("cat mem/new.md > new.md"));
}

#[test]
fn extra_patterns_protect_more_files() {
    let mut setup = setup();
    setup.extra_globs =
        vec!["~/notes/**".to_owned(), "docs/memory.md".to_owned(), "/srv/*/log?.md".to_owned()];
    let write = |path: &str| check(&setup, "Write", &json!({"file_path": path})).is_some();
    assert!(write("/home/dev/notes/a/b.md"));
    assert!(write("/home/dev/project/docs/memory.md"));
    assert!(write("docs/memory.md"));
    assert!(write("/srv/a/log1.md"));
    assert!(!write("/srv/a/b/log1.md"));
    assert!(!write("/srv/a/log12.md"));
    assert!(!write("/home/dev/notes.md"));
    assert!(!write("/home/dev/project/xdocs/memory.md"));
}

#[test]
fn captured_calls_are_judged_as_they_come() {
    let own = include_str!(
        "../../../tests/fixtures/hooks/claude-code/PostToolUse.Write.auto-memory.json"
    );
    let plain = include_str!("../../../tests/fixtures/hooks/claude-code/PreToolUse.Write.json");
    let shell = include_str!("../../../tests/fixtures/hooks/claude-code/PreToolUse.Bash.json");
    let judge = |payload: &str| {
        let payload: Value = serde_json::from_str(payload).unwrap();
        check(&setup(), payload["tool_name"].as_str().unwrap(), &payload["tool_input"])
    };
    let reason = judge(own).unwrap();
    assert!(reason.contains("afterword remember"));
    assert_eq!(judge(plain), None);
    assert_eq!(judge(shell), None);
}

/// Whether sixteen times the length costs clearly less than 256 times the time on the processor.
/// Large texts leave the caches, so the bound lies between. The least of several measurements
/// counts, of the short text and of the long one: others on the machine only ever add to it.
fn is_linear(command: &dyn Fn(usize) -> String) -> bool {
    let measured = |length: usize| -> Duration {
        let input = json!({"command": command(length)});
        time(|| _ = std::hint::black_box(denied("Bash", &input)))
    };
    let (mut small, mut large) = (Duration::MAX, Duration::MAX);
    (0..10).any(|_| {
        small = small.min(measured(10_000));
        large = large.min(measured(160_000));
        large <= small.max(Duration::from_micros(500)) * 80
    })
}

#[test]
fn cost_grows_with_length_and_no_faster() {
    for piece in [
        "$(",
        "`",
        "\"$(",
        "(",
        ")",
        "'",
        "\"",
        "<<E\n",
        "> a ",
        "cd a;",
        "A=$A$A$A;",
        "> $HOME ",
        "eval ",
        "bash -c ",
        "a ",
        "\\",
        "${",
        "% ",
        "<(",
        "sudo ",
        "python -c x;",
        "touch a/b/c;",
        "../",
        "a/",
        "[IO.File]::Write ",
        "for x in $x;",
        "git -C a rm b;",
        "ls a | xargs rm;",
    ] {
        assert!(is_linear(&|length| piece.repeat(length / piece.len())), "{piece}");
    }
}

#[test]
fn program_text_costs_no_more_than_its_length() {
    for piece in [
        "(",
        "[(",
        "f(a,",
        "open('a','w');",
        "a=a+a+'b'\n",
        "'x'/",
        "unlink ",
        "os.system('a > b')\n",
        ".write_text(",
        "a=",
        "\"\"\"",
        "x.y::z",
    ] {
        let code = |length: usize| {
            format!("python3 - <<'E'\na='b'\n{}\nE\n", piece.repeat(length / piece.len()))
        };
        assert!(is_linear(&code), "{piece}");
    }
}

proptest! {
    #[test]
    fn any_command_is_judged_without_panic(command in any::<String>(), power in any::<bool>()) {
        let tool = if power { "PowerShell" } else { "Bash" };
        let _ = denied(tool, &json!({"command": command}));
        let _ = denied("Write", &json!({"file_path": command}));
    }

    #[test]
    fn any_tokens_are_judged_without_panic(power in any::<bool>(), tokens in prop::collection::vec(
        prop::sample::select(vec![
            ">", "<", "<<", "<<<", "EOF", "\n", "&", "|", ";", "(", ")", "$(", "`", "'", "\"", "\\", "$",
            "${", "}", "=", "%", "-", "--", "-c ", "-i ", " ", "cd ", "tee ", "bash ", "git ", "tar ",
            "find ", "sed ", "for ", "env ", "x", "/", "..", "~", "é", "\u{0}", "C:\\", "sudo ", "-exec ",
        ]), 0..50,
    )) {
        let tool = if power { "PowerShell" } else { "Bash" };
        let _ = denied(tool, &json!({"command": tokens.concat()}));
    }

    #[test]
    fn any_program_text_is_judged_without_panic(code in any::<String>(), node in any::<bool>()) {
        let program = if node { "node -" } else { "python3 -" };
        let command = format!("{program} <<'E'\n{code}\nE\n");
        let _ = denied("Bash", &json!({"command": command}));
    }

    #[test]
    fn any_program_tokens_are_judged_without_panic(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "open", "(", ")", "[", "]", "{", "}", ",", "'w'", "'a'", "\"", "'", "`", "\n", ";", "=", "+",
            "/", "|", ">", "Path", ".write_text", ".replace", "os.", "unlink ", "::", ".", ":", "é",
            "$", "\\", "#", "//", "x", "system",
        ]), 0..60,
    )) {
        let code = tokens.concat();
        for program in ["node -e", "python3 -c", "awk", "perl -e"] {
            let mut words = program.split(' ').map(str::to_owned).collect::<Vec<_>>();
            words.push(code.clone());
            let _ = denied("shell", &json!({"command": words}));
        }
        let _ = denied("PowerShell", &json!({"command": code}));
    }

    #[test]
    fn a_write_is_found_behind_any_harmless_command(before in "[a-z ]{0,12}", name in "[a-z]{1,8}") {
        let command = format!("echo {before}; printf x > ~/.claude/memory/{name}.md");
        let input = json!({"command": command});
        prop_assert!(denied("Bash", &input));
    }

    #[test]
    fn patterns_match_like_paths(pattern in "[ab*?/]{0,12}", path in "[ab/]{0,12}") {
        let _ = globs::matches(&pattern, &path);
        prop_assert!(globs::matches(&path, &path));
        prop_assert!(globs::matches("**", &path));
    }
}
