<!-- YES --><p title="<!-- NO -->">Don't // NO # NO</p>
<script>let a = "// NO"; // YES
</script>
<?php
// YES
# YES
#[Attribute("NO")]
/* YES */
$a = "// NO \" # NO"; $b = '// NO'; // YES ?> // NO <?= $x /* YES */ ?>
<?php $c = <<<EOT
// NO "
  EOT . 'x'; // YES
$d = <<<'X'
# NO
X;
# YES ends with the island ?><b># NO</b>
<?php // YES
